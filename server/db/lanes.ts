import type { Row, Sql } from 'postgres';
import type { Clock } from '../clock.ts';
import { isOfConnection } from './error.ts';
import { type Ask, asking, type Underway } from './statement.ts';
import { Unanswered } from './unanswered.ts';

/** Answers that take so long wait for a disk, and on another connection a second one would wait for it at the same time. */
const SLOW_MS = 3;
/** Without an answer for so long a connection waits for a lock. */
const STUCK_MS = 20;
/** Share of the newest answer in what an answer takes. */
const NEWEST = 0.05;

interface Lane {
  sql: Sql;
  ask: Ask;
  /** Statements sent and not answered, and when the connection came to the first of them (monotonic ms). */
  underWay: number;
  since: number;
  /** What its answers took lately, one by one, ms. */
  tookMs: number;
}

/**
 * Runs statements on clients of one connection each. They go to the first one as long as it is quick: PostgreSQL works through a row of them at less
 * cost than through as many on several connections. With a slow disk they are spread, and behind a lock that somebody holds nothing new is put.
 */
export function lanesOf(clients: readonly Sql[], clock: Clock, unanswered = new Unanswered()): Ask {
  const lanes = clients.map((sql): Lane => ({ sql, ask: asking(sql, unanswered), underWay: 0, since: 0, tookMs: 0 }));

  function best(): Lane | undefined {
    const now = clock.mono();
    const answering = lanes.filter((lane) => lane.underWay === 0 || now - lane.since < STUCK_MS);
    const quick = answering.find((lane) => lane.underWay === 0 || lane.tookMs < SLOW_MS);
    return quick ?? (answering.length > 0 ? answering : lanes).toSorted((a, b) => a.underWay - b.underWay)[0];
  }

  return async function ask<Result extends Row>(
    text: string,
    parameters: readonly string[],
    watch?: (underway: Underway) => void,
  ): Promise<Result[]> {
    const lane = best();
    if (!lane) throw new Error('no connection');
    if (lane.underWay === 0) lane.since = clock.mono();
    lane.underWay += 1;
    try {
      return await lane.ask<Result>(text, parameters, watch);
    } catch (error) {
      if (isOfConnection(error)) void touch(lane.sql);
      throw error;
    } finally {
      const now = clock.mono();
      lane.underWay -= 1;
      // One lock says little of what comes.
      lane.tookMs += NEWEST * (Math.min(STUCK_MS, now - lane.since) - lane.tookMs);
      lane.since = now;
    }
  };
}

/** Where the server ended a session, postgres.js answers the first statement of the next one with that error again: this one takes it upon itself. */
async function touch(sql: Sql): Promise<void> {
  await sql`select 1`.catch(() => undefined);
}
