import type { AlertOverview, AlertTest } from '../../contract/alerts.ts';
import { type Random, within } from '../clock.ts';
import type { AlertSettings } from '../config/config.ts';
import type { Handle } from '../db/handle.ts';
import type { EventHub } from '../events/hub.ts';
import type { Log } from '../log.ts';
import { alertOf } from './alert.ts';
import { askingStore } from './ask.ts';
import { kinds } from './kinds.ts';
import type { DayProfit, Parts } from './look.ts';
import { Outbox } from './outbox.ts';
import type { Channel } from './post.ts';
import { AlertStore } from './store.ts';
import { telegram } from './telegram.ts';
import { Watcher } from './watcher.ts';
import { webhook } from './webhook.ts';

export interface AlertParts extends Parts {
  db: Handle;
  random: Random;
  log: Log;
  mode: 'practice' | 'live';
  settings: AlertSettings;
  hub: Pick<EventHub, 'page' | 'position'>;
  killSwitch: { readonly on: boolean };
  /** Null where nobody was ever connected. Rejects as the database does. */
  profit(): Promise<DayProfit | null>;
}

/** Where alerts go, and a test of it. */
export interface AlertOperations {
  alerts(): Promise<AlertOverview>;
  testAlerts(): Promise<AlertTest | { success: false; message: string }>;
}

const LOOK_MS = 1000;
const STOP_WAIT_MS = 500;
const nowhere = 'No channel is set up: set ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET, or ALERT_TELEGRAM_TOKEN and ALERT_TELEGRAM_CHAT';

/** Tells a person what the gateway cannot mend by itself. Watches nothing while no channel is set up; stands in nobody's way otherwise. */
export class Alerts implements AlertOperations {
  readonly #parts: AlertParts;
  readonly #stop = new AbortController();
  readonly #outbox: Outbox;
  readonly #watcher: Watcher;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: AlertParts) {
    this.#parts = parts;
    const { clock, db, settings } = parts;
    const shared = { ...parts, store: new AlertStore(db), ask: askingStore(clock) };
    this.#outbox = new Outbox({ ...shared, channels: channelsOf(settings, parts) });
    this.#watcher = new Watcher({ ...shared, outbox: this.#outbox });
  }

  /** Alerts that are written and not delivered, all channels together. */
  get backlog(): number {
    return this.#outbox.deliveries.reduce((sum, delivery) => sum + delivery.state().waiting, 0);
  }

  start(): void {
    if (this.#outbox.deliveries.length > 0) this.#running = this.#run();
  }

  async alerts(): Promise<AlertOverview> {
    const { settings } = this.#parts;
    const standing = this.#watcher.standing().map(({ kind, since, message }) => {
      return { kind, since: new Date(since).toISOString(), message, what_to_do: kinds[kind].whatToDo };
    });
    return {
      success: true,
      on: this.#outbox.deliveries.length > 0,
      channels: this.#outbox.deliveries.map((delivery) => delivery.state()),
      standing,
      daily_loss: settings.dailyLoss,
      all_well_at: settings.allWellAt,
    };
  }

  /** Past the queues, so that what waits there holds nothing up. */
  async testAlerts(): Promise<AlertTest | { success: false; message: string }> {
    const { clock, random, mode } = this.#parts;
    if (this.#outbox.deliveries.length === 0) return { success: false, message: nowhere };
    const id = `alert_${Buffer.from(random.bytes(12)).toString('hex')}`;
    const news = { kind: 'test', state: 'happened', message: 'This is what an alert of the gateway looks like' } as const;
    const body = JSON.stringify(alertOf(news, id, mode, clock.now()));
    const channels = await Promise.all(
      this.#outbox.deliveries.map(async ({ channel }) => {
        const began = clock.mono();
        const answer = await channel.send(body);
        const took_ms = Math.round(clock.mono() - began);
        return { channel: channel.name, delivered: answer.ok, message: answer.ok ? null : answer.why, took_ms };
      }),
    );
    return { success: true, channels };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    // A look that waits for the store is not waited for: what it decided is decided again.
    await within(this.#parts.clock, STOP_WAIT_MS, this.#running);
    await this.#outbox.stop();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stop;
    while (!signal.aborted && !(await this.#watcher.begin())) await clock.sleep(LOOK_MS, signal);
    while (!signal.aborted) {
      await this.#watcher
        .look()
        .catch((error: unknown) => log.error({ error: String(error) }, 'A look of the alerts failed; it is repeated'));
      await clock.sleep(LOOK_MS, signal);
    }
  }
}

function channelsOf({ webhook: address, telegram: bot }: AlertSettings, { clock }: Parts): Channel[] {
  return [...(address ? [webhook(address, clock)] : []), ...(bot ? [telegram(bot, clock)] : [])];
}
