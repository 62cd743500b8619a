import type { CancelOrderRequest, ModifyOrderRequest, PlaceOrderRequest } from '../../contract/orders.ts';
import type { TestReport } from '../../contract/selftest.ts';
import type { AlertOperations } from '../alerts/alerts.ts';
import type { UserOperations } from '../auth/user-operations.ts';
import type { Failure, Read } from '../brokers/broker.ts';
import type { ListEvents } from '../events/event-list.ts';
import type { ExitOperations } from '../exits/exits.ts';
import type { QuoteOperations } from '../feed/quotes.ts';
import type { PlaceReply } from '../orders/answer.ts';
import type { KillSwitchOperations } from '../orders/kill-switch.ts';
import type { MarginOperations } from '../orders/margin.ts';
import type { ReportOperations } from '../report/report.ts';
import type { LoginOperations } from '../session/browser-login.ts';
import type { Reads } from '../session/reads.ts';
import type { SessionChange } from '../session/sessions.ts';
import type { InstrumentOperations } from './instruments.ts';

/** The operations behind the routes. */
export interface Gateway
  extends Reads,
    AlertOperations,
    KillSwitchOperations,
    InstrumentOperations,
    QuoteOperations,
    MarginOperations,
    ReportOperations,
    ExitOperations,
    LoginOperations,
    UserOperations {
  connect(broker: string): Promise<SessionChange | Failure>;
  disconnect(): Promise<SessionChange | Failure>;
  place(request: PlaceOrderRequest, options: { replayOnly: boolean }): Promise<PlaceReply>;
  modify(request: ModifyOrderRequest): Promise<Read>;
  cancel(request: CancelOrderRequest): Promise<Read>;
  testBroker(name: string): Promise<TestReport>;
  testSession(): Promise<TestReport | Failure>;
  events: ListEvents;
}

/** What the root path and the first screen tell. */
export type { GatewayStatus } from '../../contract/status.ts';
