import { pino } from 'pino';
import { expect } from 'vitest';
import type { Account } from '../../server/brokers/account.ts';
import type { Broker, BrokerId, Connected, LoginCause } from '../../server/brokers/broker.ts';
import { tradedBySymbol } from '../../server/brokers/instrument.ts';
import { seededRandom } from '../../server/clock.ts';
import { readConfig } from '../../server/config/config.ts';
import { type SessionParts, Sessions } from '../../server/session/sessions.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export const readLimits = [{ requests: 1, perMs: 60_000 }];
const urls = { api: '', login: '', feed: '', master: '' };

export const failed = (cause: LoginCause, message: string = cause): Connected => ({ success: false, cause, message });
export const live = { config: readConfig({ GATEWAY_MODE: 'live' }) };

/** Sessions over stand-in brokers, in simulated time. */
export class Stand {
  readonly clock = new VirtualClock();
  readonly logged: string[] = [];
  readonly asked: string[] = [];
  /** Kinds of the events that were written. */
  readonly noted: string[] = [];
  /** Which broker was asked to sign in, and when: seconds of the clock. */
  readonly tried: string[] = [];
  /** Replaces members of the next brokers made. */
  change: Partial<Broker> = {};
  /** What the next sign-ins come to. */
  answer: (name: string) => Connected | Promise<Connected> = () => standInBroker().connect(null);
  unattended = false;
  expire: (reason: string) => void = () => undefined;
  readonly sessions: Sessions;

  constructor(parts: Partial<SessionParts> = {}) {
    const define = (id: BrokerId) => ({
      id,
      name: id,
      settings: [],
      urls,
      create: (env: { onExpired(reason: string): void }) => {
        this.expire = env.onExpired;
        const traits = { tradedBy: tradedBySymbol, orderLimits: [], readLimits, unattended: this.unattended };
        return standInBroker({ id, traits, connect: () => this.#connect(id), ...this.change });
      },
    });
    this.sessions = new Sessions({
      config: readConfig({}),
      definitions: { dhan: define('dhan'), fyers: define('fyers') },
      clock: this.clock,
      random: seededRandom(1),
      log: pino({ level: 'error' }, { write: (line) => void this.logged.push(line) }),
      logins: { read: async () => null, write: async () => undefined, forget: async () => undefined },
      journal: { note: async ({ kind }) => void this.noted.push(kind) },
      limits: true,
      recentSends: async (broker, account) => {
        this.asked.push(`${broker} ${account}`);
        return [];
      },
      hasOpen: () => false,
      onUp: () => undefined,
      onDown: () => undefined,
      ...parts,
    });
  }

  async #connect(id: string): Promise<Connected> {
    this.tried.push(`${id} ${Math.round(this.clock.mono() / 1000)}`);
    return await this.answer(id);
  }

  async connect(name = 'dhan'): Promise<Account> {
    expect(await this.clock.settle(this.sessions.connect(name))).toMatchObject({ success: true });
    const account = this.sessions.active();
    if (!account) throw new Error('no session');
    return account;
  }

  /** A send that is over after `ms`; what it was answered. */
  send(account: Account, ms: number): Promise<string> {
    return account.door.send(
      () => null,
      async () => {
        await this.clock.sleep(ms);
        return 'sent';
      },
    );
  }
}
