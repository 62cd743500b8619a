import type { Overview } from '../../contract/overview.ts';
import { exchanges } from '../../contract/words.ts';
import { endsSoon } from '../calendar/ending.ts';
import type { Clock } from '../clock.ts';
import type { FeedFlow } from '../feed/feed.ts';
import { isoOf } from './day.ts';
import type { ReportStore } from './store.ts';
import type { Whose } from './whose.ts';

/** How the session stands; instants are epoch ms, UTC. */
export interface SessionView {
  active: boolean;
  since: number | null;
  endsAt: number | null;
  /** Why there is none, and what to do. */
  message: string | null;
  /** When the gateway signs in by itself again. */
  nextTryAt: number | null;
  /** Our clock less the broker's, ms, and when it was told. */
  clock: { offsetMs: number; at: number } | null;
}

export interface OverviewParts {
  clock: Clock;
  mode: 'practice' | 'live';
  version: string;
  where: 'embedded' | 'server';
  store: ReportStore;
  whose: Whose;
  accounts: { state(): SessionView };
  feed: { flow(): FeedFlow };
  killSwitch: { readonly on: boolean; readonly since: number | null; readonly by: string | null };
  /** When an exchange next opens or closes after an instant (epoch ms), and whether it trades then; null: never. */
  turnOf(exchange: string, at: number): { open: boolean; turnsAt: number | null };
  /** The last day (`YYYY-MM-DD`, IST) whose holidays are known; null where there are none. */
  calendarEnds: string | null;
  /** Orders whose truth is not known. */
  orders: { unresolved(): readonly unknown[] };
}

/** How the gateway stands: what is known in this process, and how long the database takes to answer. Waits for nobody else; never rejects. */
export async function overviewOf(parts: OverviewParts): Promise<Overview> {
  const { clock, mode, version, store, whose, killSwitch } = parts;
  const ping = await store.ping();
  const now = clock.now();
  const who = whose.now();
  const session = parts.accounts.state();
  const feed = parts.feed.flow();
  const age = feed.lastTickAt === null ? null : Math.max(0, Math.round(now - feed.lastTickAt));
  return {
    success: true,
    ...{ mode, version, at: isoOf(now), broker: who?.broker ?? null, account: who?.account ?? null },
    session: {
      ...{ active: session.active, since: isoOf(session.since), ends_at: isoOf(session.endsAt) },
      ...{ message: session.message, next_try_at: isoOf(session.nextTryAt) },
    },
    feed: { prices: feed.prices, orders: feed.orders, last_tick_at: isoOf(feed.lastTickAt), last_tick_age_ms: age },
    clock: { offset_ms: session.clock?.offsetMs ?? null, checked_at: isoOf(session.clock?.at ?? null) },
    database: {
      kind: parts.where === 'server' ? 'external' : 'embedded',
      ok: ping !== null,
      latency_ms: ping === null ? null : Math.round(ping * 10) / 10,
    },
    kill_switch: { on: killSwitch.on, since: isoOf(killSwitch.since), by: killSwitch.by },
    market: exchanges.map((exchange) => {
      const { open, turnsAt } = parts.turnOf(exchange, now);
      return { exchange, open, opens_at: open ? null : isoOf(turnsAt), closes_at: open ? isoOf(turnsAt) : null };
    }),
    calendar: { last_day: parts.calendarEnds, ends_soon: endsSoon(parts.calendarEnds, now) },
    unresolved: parts.orders.unresolved().length,
  };
}
