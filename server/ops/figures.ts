import type { GatewayStatus } from '../../contract/status.ts';
import type { Watch, WatchState } from '../books/watch.ts';
import type { DatabaseState } from '../db/open.ts';
import type { Feed, FeedState } from '../feed/feed.ts';
import type { KillSwitch } from '../orders/kill-switch.ts';
import type { JournalLag, OrderService } from '../orders/order-service.ts';
import type { Measured } from './measure.ts';

/** How a gateway stands at one moment: read from its parts when somebody asks, from memory alone. */
export interface Figures {
  status: GatewayStatus;
  killSwitch: boolean;
  /** Orders whose truth is not known. */
  unresolved: number;
  journal: JournalLag;
  feed: FeedState;
  /** Prices that are due have not come for so long; 0 while they come or none is due. */
  feedSilentMs: number;
  reconciliation: WatchState;
  database: DatabaseState;
  streams: number;
  /** How long the TLS certificate is still good for; null without one. */
  certificateLeftMs: number | null;
  /** Told and not delivered yet. */
  alerts: number;
  measured: Measured;
}

export interface FigureParts {
  status(): GatewayStatus;
  killSwitch: KillSwitch;
  orders: OrderService;
  feed: Feed;
  watch: Watch;
  database: { state(): DatabaseState };
  streams: { count: number };
  certificateLeftMs(): number | null;
  alerts: { backlog: number };
  measured(): Measured;
}

export function figuresOf(parts: FigureParts): Figures {
  const { status, killSwitch, orders, feed, watch, database, streams, alerts, certificateLeftMs, measured } = parts;
  return {
    status: status(),
    killSwitch: killSwitch.on,
    unresolved: orders.unresolved().length,
    journal: orders.lag(),
    feed: feed.state(),
    feedSilentMs: feed.silentMs(),
    reconciliation: watch.state(),
    database: database.state(),
    streams: streams.count,
    certificateLeftMs: certificateLeftMs(),
    alerts: alerts.backlog,
    measured: measured(),
  };
}
