import type { KillSwitchState } from '../contract/kill-switch.ts';
import type { CancelOrderRequest, ModifyOrderRequest, PlaceOrderRequest, PlaceOrderResult } from '../contract/orders.ts';
import type { HoldingRow, OrderRow, PositionRow, TradeRow } from '../contract/rows.ts';
import type { TestReport } from '../contract/selftest.ts';
import type { Failure, Listing, Read, Unreadable } from './brokers/broker.ts';

export type SessionChange = {
  success: true;
  message: string;
  broker: string;
};

export type TradeBook = { success: true; message?: string; data: unknown; normalized?: TradeRow[]; unreadable?: readonly Unreadable[] };

/** What a place call answers with: the result and what HTTP says beside it. */
export interface PlaceReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: PlaceOrderResult;
  /** Called at most once: when the whole answer has been handed to the operating system. Not called when the connection closed before. */
  delivered?: (() => void) | undefined;
}

/** The operations behind the routes. */
export interface Gateway {
  connect(broker: string): Promise<SessionChange | Failure>;
  disconnect(): Promise<SessionChange | Failure>;
  profile(): Promise<Read>;
  funds(): Promise<Read>;
  holdings(): Promise<Listing<HoldingRow>>;
  positions(): Promise<Listing<PositionRow>>;
  orders(): Promise<Listing<OrderRow>>;
  order(orderId: string): Promise<Read>;
  place(request: PlaceOrderRequest, options: { replayOnly: boolean }): Promise<PlaceReply>;
  modify(request: ModifyOrderRequest): Promise<Read>;
  cancel(request: CancelOrderRequest): Promise<Read>;
  testBroker(name: string): Promise<TestReport>;
  testSession(): Promise<TestReport | Failure>;
  /** The trade book's answer, or a bare list when a broker's native client answers with one. */
  tradebook(): Promise<TradeBook | Failure | unknown[]>;
  killSwitch(): Promise<KillSwitchState>;
  /** Holds at once; a Failure says that it is not stored yet. `by` is the user's name. */
  setKillSwitch(on: boolean, by: string): Promise<KillSwitchState | Failure>;
}

/** What the root path and the first screen tell. */
export interface GatewayStatus {
  name: string;
  mode: 'practice' | 'live';
  broker: string | null;
  status: 'starting' | 'ready' | 'stopping';
  /** off: an open position blocks no further entry. */
  position_guard: 'on' | 'off';
}
