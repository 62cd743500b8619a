import type { EventList } from '../../contract/events.ts';
import type { CancelOrderRequest, ModifyOrderRequest, PlaceOrderRequest } from '../../contract/orders.ts';
import type { TestReport } from '../../contract/selftest.ts';
import type { Failure, Read } from '../brokers/broker.ts';
import type { QuoteOperations } from '../feed/quotes.ts';
import type { PlaceReply } from '../orders/answer.ts';
import type { KillSwitchOperations } from '../orders/kill-switch.ts';
import type { Reads } from '../session/reads.ts';
import type { SessionChange } from '../session/sessions.ts';
import type { InstrumentOperations } from './instruments.ts';

/** The operations behind the routes. */
export interface Gateway extends Reads, KillSwitchOperations, InstrumentOperations, QuoteOperations {
  connect(broker: string): Promise<SessionChange | Failure>;
  disconnect(): Promise<SessionChange | Failure>;
  place(request: PlaceOrderRequest, options: { replayOnly: boolean }): Promise<PlaceReply>;
  modify(request: ModifyOrderRequest): Promise<Read>;
  cancel(request: CancelOrderRequest): Promise<Read>;
  testBroker(name: string): Promise<TestReport>;
  testSession(): Promise<TestReport | Failure>;
  /** Events after a number, at most `limit`. */
  events(after: number, limit: number): Promise<EventList | Failure>;
}

/** What the root path and the first screen tell. */
export type { GatewayStatus } from '../../contract/status.ts';
