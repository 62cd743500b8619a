import { eq, lt, sql } from 'drizzle-orm';
import { exits } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import { Plan } from './plan.ts';

/** An exit as it stands in the store. */
export interface ExitRecord {
  key: string;
  requestHash: string;
  broker: string;
  account: string;
  tradingDay: string;
  /** Epoch ms. */
  begunAt: number;
  plan: Plan;
  /** The exact text of the answer; null until it is settled. */
  report: string | null;
}

/** As long as the stored answers of its orders live. */
const KEPT_MS = 7 * 86_400_000;

/** The exits of the last week. Every method rejects when the store cannot be reached. */
export interface ExitRecords {
  find(key: string): Promise<ExitRecord | null>;
  /** Writes a new exit down, before anything of it is sent, and forgets those older than a week. */
  begin(record: ExitRecord): Promise<void>;
  settle(key: string, report: string): Promise<void>;
  /** Nothing of it was sent: its key is free again. */
  forget(key: string): Promise<void>;
}

export function exitRecords(db: Db): ExitRecords {
  return {
    async find(key) {
      const begun_ms = sql<number>`extract(epoch from ${exits.begun_at})::float8 * 1000`;
      const [found] = await db.select({ row: exits, begun_ms }).from(exits).where(eq(exits.key, key));
      if (!found) return null;
      const { request_hash, trading_day, broker, account, plan, report } = found.row;
      const read = Plan.parse(JSON.parse(plan));
      return { key, requestHash: request_hash, broker, account, tradingDay: trading_day, begunAt: found.begun_ms, plan: read, report };
    },
    async begin({ key, requestHash, broker, account, tradingDay, begunAt, plan, report }) {
      await db.delete(exits).where(lt(exits.begun_at, new Date(begunAt - KEPT_MS).toISOString()));
      const begun_at = new Date(begunAt).toISOString();
      const [what, when] = [
        { broker, account, plan: JSON.stringify(plan), report },
        { trading_day: tradingDay, begun_at },
      ];
      await db.insert(exits).values({ key, request_hash: requestHash, ...what, ...when });
    },
    async settle(key, report) {
      await db.update(exits).set({ report }).where(eq(exits.key, key));
    },
    async forget(key) {
      await db.delete(exits).where(eq(exits.key, key));
    },
  };
}
