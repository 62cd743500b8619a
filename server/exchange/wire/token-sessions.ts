import { nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { BrokerId } from '../types.ts';

/** The access tokens of one broker's logins, kept with the ledger: they live on over a restart of the exchange. */
export interface TokenSessions {
  lives(token: string): boolean;
  /** Until when a token is good, epoch ms: 0 for one that was ended, undefined for one that no login gave out. */
  validUntil(token: string): number | undefined;
  /** Begins a session of these tokens. */
  begin(until: number, ...tokens: readonly string[]): void;
  end(token: string): void;
  /** When a session that begins now ends at a broker whose tokens all die at an hour of India (epoch ms). */
  nextHour(hour: number): number;
}

interface TokenOptions {
  /** The practice token: it lives without a login until it is ended, and again from the next login. */
  standing?: string;
  /** What the tokens are for, at a broker that gives out several kinds: one does not pass for another. */
  kind?: string;
}

export function tokenSessions(exchange: Exchange, broker: BrokerId, { standing, kind }: TokenOptions = {}): TokenSessions {
  const { clock } = exchange;
  const nameOf = (token: string) => (kind === undefined ? token : `${kind}:${token}`);
  const keep = (token: string, until: number) => exchange.keepToken(broker, nameOf(token), until);

  function validUntil(token: string): number | undefined {
    return exchange.tokenValidUntil(broker, nameOf(token)) ?? (token === standing ? Number.MAX_SAFE_INTEGER : undefined);
  }
  function lives(token: string): boolean {
    return clock.now() < (validUntil(token) ?? 0);
  }

  return {
    lives,
    validUntil,
    begin(until, ...tokens) {
      for (const token of tokens) keep(token, until);
      if (standing !== undefined && !lives(standing)) keep(standing, Number.MAX_SAFE_INTEGER);
    },
    end: (token) => keep(token, 0),
    nextHour: (hour) => nextIstHour(clock.now(), hour),
  };
}
