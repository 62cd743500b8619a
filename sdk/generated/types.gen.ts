// Generated from openapi.json by @hey-api/openapi-ts. Do not edit.
// @ts-nocheck

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

export type AddUserAnswer = UserAdded | Failure;

/**
 * The user to make.
 */
export type AddUserRequest = {
    /**
     * 1 to 64 of a-z, 0-9, dot, underscore and dash.
     */
    name: string;
};

/**
 * One way alerts leave, and how it does.
 */
export type AlertChannelState = {
    /**
     * Which way alerts leave.
     */
    channel: 'webhook' | 'telegram';
    /**
     * The host they go to; never the address, which may hold a secret.
     */
    host: string;
    /**
     * Alerts that are written and not delivered yet.
     */
    waiting: number;
    /**
     * Alerts dropped since the start because too many waited, oldest first.
     */
    dropped: number;
    /**
     * When one was delivered last since the start, UTC.
     */
    last_sent_at: string | null;
    /**
     * When a delivery failed last since the start, UTC.
     */
    last_failed_at: string | null;
    /**
     * Why, without addresses and secrets.
     */
    last_failure: string | null;
};

/**
 * Where alerts go, what waits, and what stands.
 */
export type AlertOverview = {
    success: true;
    /**
     * Whether any channel is set up; without one nothing is watched.
     */
    on: boolean;
    /**
     * The channels that are set up.
     */
    channels: Array<AlertChannelState>;
    /**
     * What was told and is not over, oldest first.
     */
    standing: Array<StandingAlert>;
    /**
     * Rupees of the day's loss from which on it is told; null: never.
     */
    daily_loss: string | null;
    /**
     * When the line of the day is sent, IST.
     */
    all_well_at: string;
};

/**
 * What became of a test alert, channel by channel.
 */
export type AlertTest = {
    success: true;
    /**
     * One for each channel that is set up.
     */
    channels: Array<AlertTestResult>;
};

/**
 * What became of a test alert on one channel.
 */
export type AlertTestResult = {
    /**
     * Which way it left.
     */
    channel: 'webhook' | 'telegram';
    /**
     * Whether it was taken.
     */
    delivered: boolean;
    /**
     * Why not.
     */
    message: string | null;
    /**
     * How long that took.
     */
    took_ms: number;
};

/**
 * A bare list, when the broker's native client answers with one.
 */
export type BareTradeBook = Array<unknown>;

export type BeginLoginAnswer = LoginBegun | Failure;

/**
 * Where to sign in.
 */
export type BeginLoginRequest = {
    /**
     * One of the supported identifiers.
     */
    broker: string;
};

export type CancelOrderAnswer = CancelOrderResult | Failure;

/**
 * The order to cancel.
 */
export type CancelOrderRequest = {
    /**
     * Broker order id.
     */
    order_id: string;
    /**
     * NORMAL, STOPLOSS or AMO.
     */
    variety?: string;
};

/**
 * The broker took the cancel request; read the order to see it done.
 */
export type CancelOrderResult = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own payload, untouched.
     */
    data: unknown;
    [key: string]: unknown;
};

/**
 * What became of a resting order of the exit side.
 */
export type CancelReport = {
    /**
     * Broker order id.
     */
    order_id: string;
    /**
     * MARKET, LIMIT, SL or SL-M.
     */
    order_type: string;
    /**
     * What of it has not filled, in the broker's own unit.
     */
    quantity: number;
    /**
     * Limit price, rupees; null when the broker does not say.
     */
    price: number | null;
    /**
     * Trigger price, rupees; null when the broker does not say.
     */
    trigger_price: number | null;
    /**
     * true: it is gone, cancelled or filled. false: it rests on. null: not known.
     */
    success: boolean | null;
    /**
     * What of it filled while it was being cancelled, in the broker's own unit.
     */
    filled_quantity: number;
    /**
     * What the broker said of the cancel; empty where nothing.
     */
    message: string;
};

export type ConnectBrokerAnswer = Connected | Failure;

/**
 * The broker is the active session now.
 */
export type Connected = {
    success: true;
    /**
     * What was done.
     */
    message: string;
    /**
     * The broker meant.
     */
    broker: string;
    [key: string]: unknown;
};

/**
 * What the account earned on a day.
 */
export type DayProfit = {
    success: true;
    /**
     * The trading day it tells of, YYYY-MM-DD, IST.
     */
    day: string;
    /**
     * Whose records: the connected broker, else the last one that was; null when none ever was.
     */
    broker: string | null;
    /**
     * What the day's executions realised against average cost, rupees.
     */
    realised: number;
    /**
     * What the unrealised profit moved by on the day, rupees; null when one position's is not known.
     */
    unrealised: number | null;
    /**
     * Profit of the day: both together, rupees; null when one position's is not known.
     */
    total: number | null;
    /**
     * Profit of the day of the positions whose profit is known, rupees.
     */
    known: number;
    /**
     * Positions whose profit of the day is not known.
     */
    unknown: Array<{
        exchange: string;
        symbol: string;
        product_type: string;
        /**
         * Why nobody can tell.
         */
        reason: string;
    }>;
    /**
     * The same by instrument, in order of name.
     */
    by_instrument: Array<{
        /**
         * The one name of the instrument; null where the broker's instrument file has none.
         */
        instrument: string | null;
        exchange: string;
        symbol: string;
        /**
         * What the day's executions realised against average cost, rupees.
         */
        realised: number;
        /**
         * What the unrealised profit moved by on the day, rupees; null when one position's is not known.
         */
        unrealised: number | null;
        /**
         * Profit of the day: both together, rupees; null when one position's is not known.
         */
        total: number | null;
    }>;
    /**
     * The same by what opened the position.
     */
    by_strategy: Array<{
        /**
         * What placed the orders; null where nobody said.
         */
        strategy: string | null;
        /**
         * What the day's executions realised against average cost, rupees.
         */
        realised: number;
        /**
         * What the unrealised profit moved by on the day, rupees; null when one position's is not known.
         */
        unrealised: number | null;
        /**
         * Profit of the day: both together, rupees; null when one position's is not known.
         */
        total: number | null;
    }>;
    /**
     * How the day went: at most one point a minute, and one at each fill. Kept over restarts.
     */
    equity: Array<{
        /**
         * When, UTC.
         */
        at: string;
        /**
         * What the day's executions realised against average cost, rupees.
         */
        realised: number;
        /**
         * What the unrealised profit moved by on the day, rupees; null when one position's is not known.
         */
        unrealised: number | null;
        /**
         * Profit of the day: both together, rupees; null when one position's is not known.
         */
        total: number | null;
    }>;
};

export type DisconnectBrokerAnswer = Disconnected | Failure;

/**
 * No broker is connected now.
 */
export type Disconnected = {
    success: true;
    /**
     * What was done.
     */
    message: string;
    /**
     * The broker meant.
     */
    broker: string;
    [key: string]: unknown;
};

/**
 * A page of events.
 */
export type EventList = {
    success: true;
    /**
     * Oldest first; newest first with `before` or a filter and no `after`.
     */
    events: Array<GatewayEvent>;
    /**
     * What to give as `after` to go on: the number of the last event, or `after` again.
     */
    next: number;
    /**
     * Newest first: what to give as `before` for older ones, also where this page is short; null when there are none.
     */
    before?: number | null;
};

/**
 * One order of an exit: reduce_only, MARKET.
 */
export type ExitOrder = {
    /**
     * Quantity asked for, in the broker's own unit; null where it was sent before the gateway was interrupted.
     */
    quantity: number | null;
    answer: PlaceOrderResult;
};

/**
 * What an exit would do now. Nothing is sent.
 */
export type ExitPlan = {
    success: true;
    /**
     * When the broker was read, UTC.
     */
    at: string;
    /**
     * The active broker.
     */
    broker: string;
    /**
     * Every open position of the account.
     */
    positions: Array<PlannedExit>;
    /**
     * What holds for all of them.
     */
    warnings: Array<string>;
};

export type ExitPositionsAnswer = ExitReport | Failure;

/**
 * What an exit did, position by position.
 */
export type ExitReport = {
    /**
     * The exit was carried out; what became of each position stands there.
     */
    success: true;
    /**
     * true: nothing of what was to be exited is left open.
     */
    flat: boolean;
    /**
     * false: the time for an answer was over, or the gateway stopped, before the exit was done; the same request again goes on and tells the rest.
     */
    finished: boolean;
    /**
     * The key of this exit.
     */
    idempotency_key: string;
    /**
     * The broker it went to.
     */
    broker: string;
    /**
     * When it began, UTC.
     */
    at: string;
    /**
     * Each position of the plan.
     */
    positions: Array<ExitedPosition>;
    /**
     * What holds for all of them.
     */
    warnings: Array<string>;
};

/**
 * What to exit: either all, or positions.
 */
export type ExitRequest = {
    /**
     * true: every open position of the account; what is held from earlier days is none.
     */
    all?: boolean;
    /**
     * These positions, at most 200.
     */
    positions?: Array<PositionName>;
    /**
     * Caller-chosen key. A repeat with the same key replays the report, or goes on where the gateway was interrupted, and sends nothing twice. Without one the gateway makes one and tells it.
     */
    idempotency_key?: string | null;
};

/**
 * What became of one position.
 */
export type ExitedPosition = {
    /**
     * The one name of its instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
    /**
     * As the broker's row has it.
     */
    exchange: string;
    /**
     * As the broker writes it.
     */
    symbol: string;
    /**
     * The broker's instrument token; empty when the row has none.
     */
    token: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD.
     */
    product_type: string;
    /**
     * Shares held from earlier days.
     */
    holding: boolean;
    /**
     * Net open quantity, positive long, negative short, in the broker's own unit.
     */
    net_quantity: number;
    /**
     * SELL for a long position, BUY for a short one; null where there is nothing to exit.
     */
    side: string | null;
    /**
     * What the exit sends: the whole position, less what is under way already and cannot be cancelled, in the broker's own unit.
     */
    quantity: number;
    /**
     * Last traded price, rupees; null when the broker does not say.
     */
    last_price: number | null;
    /**
     * What a person should know before this exit.
     */
    warnings: Array<string>;
    /**
     * In the order of the plan.
     */
    cancels: Array<CancelReport>;
    /**
     * More than one where the exchange takes no order so large, or where the first filled in part.
     */
    orders: Array<ExitOrder>;
    /**
     * What the orders of this exit filled, as far as it is known, in the broker's own unit.
     */
    filled_quantity: number;
    /**
     * What of the position is still open, in the broker's own unit; null when that is not known.
     */
    left_quantity: number | null;
    /**
     * FLAT: nothing is left. SENT: the order lives and has not filled yet. PARTLY: a part is closed. REFUSED: nothing is closed and no order lives. UNKNOWN: what was sent is not settled, look at the orders before acting. NOTHING_TO_DO: there was no such open position.
     */
    outcome: 'FLAT' | 'SENT' | 'PARTLY' | 'REFUSED' | 'UNKNOWN' | 'NOTHING_TO_DO';
    /**
     * The outcome in words for a person, and what to do.
     */
    message: string;
};

/**
 * The operation did not succeed. Answered with HTTP 200.
 */
export type Failure = {
    /**
     * Always false: the call was answered, the operation did not succeed.
     */
    success: false;
    /**
     * What went wrong, in words for a person.
     */
    message: string;
};

/**
 * What is known of the fill. FILLED: the whole quantity traded. PARTIALLY_FILLED: some of it did. PENDING: the order rests at the exchange. REJECTED: no order lives. UNKNOWN: not settled yet, look at the order before acting.
 */
export type FillStatus = 'FILLED' | 'PARTIALLY_FILLED' | 'PENDING' | 'UNKNOWN' | 'REJECTED';

export type FinishLoginAnswer = Connected | Failure;

/**
 * What the broker's page gave.
 */
export type FinishLoginRequest = {
    /**
     * As begin told it.
     */
    state: string;
    /**
     * The query the browser came back with, or the whole address it ended at.
     */
    callback?: string;
    /**
     * Instead: the code alone.
     */
    code?: string;
};

/**
 * The broker's funds.
 */
export type Funds = {
    /**
     * The same in words that are equal for all brokers; absent where it cannot be read.
     */
    normalized?: FundsRow;
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own payload, untouched.
     */
    data: unknown;
    [key: string]: unknown;
};

/**
 * The funds in words that are equal for all brokers.
 */
export type FundsRow = {
    /**
     * Free for new orders, rupees; null when the broker does not say.
     */
    available: number | null;
};

/**
 * One line of the audit trail.
 */
export type GatewayEvent = {
    /**
     * Its number. Numbers grow in the order in which events are told, with gaps. 0: a notice of the stream itself, without a number.
     */
    id: number;
    /**
     * The name of the event on the stream.
     */
    topic: 'order' | 'position' | 'session' | 'notice';
    /**
     * What happened, in the words of the audit trail.
     */
    kind: string;
    /**
     * When, UTC.
     */
    at: string;
    /**
     * The broker it is about.
     */
    broker: string | null;
    /**
     * The symbol, as the record of it has it.
     */
    symbol: string | null;
    /**
     * Broker order id.
     */
    order_id: string | null;
    /**
     * What else the audit trail says of it.
     */
    detail: unknown;
};

/**
 * What the gateway is, and whether it serves.
 */
export type GatewayStatus = {
    /**
     * Always Broker Gateway.
     */
    name: string;
    /**
     * practice: the simulator. live: real brokers, real money.
     */
    mode: 'practice' | 'live';
    /**
     * The active broker; null when none is connected.
     */
    broker: string | null;
    /**
     * What the gateway is doing. standby: it waits while another one leads, and answers everything but this and the documents with 503.
     */
    status: 'starting' | 'ready' | 'standby' | 'stopping';
    /**
     * On a standby: who leads, as far as it is known.
     */
    leader?: string;
    /**
     * off: an open position blocks no further entry.
     */
    position_guard: 'on' | 'off';
};

export type GetAlertsAnswer = AlertOverview | Failure;

export type GetFundsAnswer = Funds | Failure;

export type GetHoldingsAnswer = HoldingList | Failure;

export type GetInstrumentAnswer = InstrumentFound | Failure;

export type GetLatenciesAnswer = Latencies | Failure;

export type GetOrderAnswer = OrderFound | Failure;

export type GetOrderMarginAnswer = OrderMargin | Failure;

export type GetOverviewAnswer = Overview | Failure;

export type GetPositionsAnswer = PositionList | Failure;

export type GetPricesAnswer = PriceHistory | Failure;

export type GetProfileAnswer = Profile | Failure;

export type GetProfitAnswer = DayProfit | Failure;

export type GetQuotesAnswer = QuoteList | Failure;

export type GetTradebookAnswer = TradeBook | Failure | BareTradeBook;

/**
 * The broker's holdings.
 */
export type HoldingList = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own rows, untouched.
     */
    data: Array<unknown>;
    /**
     * The same rows, in the same order, in words that are equal for all brokers; those of unreadable are missing.
     */
    normalized: Array<HoldingRow>;
    /**
     * The rows of data that cannot be read and are missing from normalized; absent when there are none.
     */
    readonly unreadable?: Array<UnreadableRow>;
    [key: string]: unknown;
};

/**
 * One holding in words that are equal for all brokers.
 */
export type HoldingRow = {
    /**
     * Trading symbol, as the broker writes it.
     */
    symbol: string;
    /**
     * The broker's instrument token, when the row has one.
     */
    token: string | null;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.
     */
    exchange: string;
    /**
     * ISIN, when the broker sends it.
     */
    isin: string | null;
    /**
     * Quantity held, unsettled shares included, in the broker's own unit (units or lots).
     */
    quantity: number;
    /**
     * Quantity that may be sold today, unsettled shares included where the broker lets them be sold, blocked ones left out, in the broker's own unit (units or lots).
     */
    sellable_quantity: number;
    /**
     * Average buying price, rupees; null when the broker does not say.
     */
    average_price: number | null;
    /**
     * Last traded price, rupees; null when the broker does not say.
     */
    last_price: number | null;
    /**
     * Profit against the average price, rupees; null when the broker does not say.
     */
    pnl: number | null;
    /**
     * The one name of its instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
};

/**
 * One instrument as every broker knows it, with what the active broker calls it.
 */
export type Instrument = {
    /**
     * The one name of an instrument at every broker, EXCHANGE:SYMBOL: NSE:SBIN, NSE_INDEX:NIFTY, NFO:NIFTY29DEC26FUT, NFO:NIFTY29DEC2626000CE.
     */
    instrument: string;
    /**
     * NSE, BSE, NFO, BFO, MCX, CDS, BCD or NCO; NSE_INDEX, BSE_INDEX and MCX_INDEX hold indices, which nobody trades.
     */
    exchange: string;
    /**
     * The name without its exchange.
     */
    symbol: string;
    /**
     * Name of the company or contract; null when the broker does not say.
     */
    name: string | null;
    /**
     * Share, index, future, call or put.
     */
    kind: 'EQ' | 'INDEX' | 'FUT' | 'CE' | 'PE';
    /**
     * What a contract is on; null for shares and indices.
     */
    underlying: string | null;
    /**
     * Expiry of a contract, YYYY-MM-DD, IST; null where there is none.
     */
    expiry: string | null;
    /**
     * Strike of an option, rupees; null where there is none.
     */
    strike: number | null;
    /**
     * What quantities are multiples of, in the broker's own unit for the exchange.
     */
    lot_size: number;
    /**
     * What prices are multiples of, rupees; null where there is none.
     */
    tick_size: number | null;
    /**
     * The largest quantity of one order, in the broker's own unit; null when the broker does not say.
     */
    freeze_quantity: number | null;
    /**
     * ISIN; null when the broker does not say.
     */
    isin: string | null;
    /**
     * The active broker's own symbol.
     */
    broker_symbol: string;
    /**
     * The active broker's own token.
     */
    token: string;
};

/**
 * One instrument of the active broker.
 */
export type InstrumentFound = {
    success: true;
    instrument: Instrument;
    /**
     * The trading day of the broker's instrument file, YYYY-MM-DD, IST.
     */
    as_of: string;
    /**
     * Why the file is not of today, when it is not.
     */
    message?: string;
};

/**
 * Instruments of the active broker, by expiry, strike and name.
 */
export type InstrumentList = {
    success: true;
    instruments: Array<Instrument>;
    /**
     * What to give as `after` for the next page; null on the last one.
     */
    next: string | null;
    /**
     * The trading day of the broker's instrument file, YYYY-MM-DD, IST.
     */
    as_of: string;
    /**
     * Why the file is not of today, when it is not.
     */
    message?: string;
};

/**
 * One bad field of a request.
 */
export type Issue = {
    /**
     * The field, dotted.
     */
    path: string;
    /**
     * What is wrong with it.
     */
    message: string;
};

/**
 * Where the kill switch stands.
 */
export type KillSwitchState = {
    success: true;
    /**
     * true: nothing leaves that can grow a position.
     */
    on: boolean;
    /**
     * When it was turned to where it stands, UTC; null when it was never turned.
     */
    since: string | null;
    /**
     * Who turned it: a user's name, signal, or setting; null when that is not known or it was never turned.
     */
    by: string | null;
};

/**
 * How long the day's orders took.
 */
export type Latencies = {
    success: true;
    /**
     * The trading day it tells of, YYYY-MM-DD, IST.
     */
    day: string;
    /**
     * Whose records: the connected broker, else the last one that was; null when none ever was.
     */
    broker: string | null;
    /**
     * Oldest first; without those placed elsewhere.
     */
    orders: Array<{
        /**
         * Broker order id; null while none is known.
         */
        order_id: string | null;
        symbol: string;
        /**
         * As in the list of orders.
         */
        status: string;
        /**
         * When it was asked for, UTC.
         */
        at: string | null;
        /**
         * From the request to its bytes leaving, milliseconds; null where it was not seen.
         */
        to_sent_ms: number | null;
        /**
         * From there to the broker's answer, milliseconds; null where it was not seen.
         */
        to_accepted_ms: number | null;
        /**
         * From there until it was filled, rejected, cancelled, or rested, milliseconds; null where it was not seen.
         */
        to_final_ms: number | null;
        /**
         * All of it, milliseconds; null where it was not seen.
         */
        total_ms: number | null;
    }>;
};

export type ListEventsAnswer = EventList | Failure;

export type ListOrdersAnswer = OrderList | Failure;

export type ListRecordedOrdersAnswer = RecordedOrders | Failure;

export type ListRecordedPositionsAnswer = RecordedPositions | Failure;

export type ListRecordedTradesAnswer = RecordedTrades | Failure;

export type ListUsersAnswer = UserList | Failure;

/**
 * What a login needs now.
 */
export type LoginBegun = {
    success: true;
    /**
     * The broker meant.
     */
    broker: string;
    /**
     * redirect: a person signs in on the broker's page, which sends the browser back. none: it needs no person, connect it.
     */
    kind: 'redirect' | 'none';
    /**
     * Names this login in finish: it works once, for the user who began it. Null with none.
     */
    state: string | null;
    /**
     * The broker's page. Null with none.
     */
    address: string | null;
    /**
     * What is to be registered with the broker as the redirect address. Null with none.
     */
    redirect_expected: string | null;
    /**
     * What a code to be pasted is called in the address the browser ends at. Null with none.
     */
    code_name: string | null;
    /**
     * Until when it can be finished, UTC. Null with none.
     */
    expires_at: string | null;
    /**
     * What to do, in words for a person.
     */
    message: string;
};

export type ModifyOrderAnswer = ModifyOrderResult | Failure;

/**
 * What to change in an open order.
 */
export type ModifyOrderRequest = {
    /**
     * Broker order id.
     */
    order_id: string;
    /**
     * NORMAL, STOPLOSS or AMO.
     */
    variety?: string;
    /**
     * New order type; left as it is when absent.
     */
    order_type?: string | null;
    /**
     * New quantity; left as it is when absent.
     */
    quantity?: number | null;
    /**
     * New limit price in rupees; left as it is when absent.
     */
    price?: number | null;
    /**
     * New trigger price in rupees; left as it is when absent.
     */
    trigger_price?: number | null;
};

/**
 * The broker took the change request; read the order to see it done.
 */
export type ModifyOrderResult = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own payload, untouched.
     */
    data: unknown;
    [key: string]: unknown;
};

/**
 * The order was accepted; fill_status tells what became of it.
 */
export type OrderAccepted = {
    /**
     * The broker accepted the order. Trust fill_status for what became of it.
     */
    success: true;
    /**
     * Broker order id; empty when none.
     */
    order_id?: string;
    /**
     * Why the order was refused, what to do about a MARKET order that rests, or what the broker said.
     */
    message?: string;
    fill_status: FillStatus;
    /**
     * Quantity filled; present when a fill poll ran.
     */
    filled_quantity?: number;
    /**
     * Average fill price in rupees; present when a fill poll ran, 0 while nothing filled.
     */
    avg_fill_price?: number;
    /**
     * The broker's own payload, untouched.
     */
    data?: unknown;
    [key: string]: unknown;
};

/**
 * The order object, as the broker lists it.
 */
export type OrderFound = {
    /**
     * The same in words that are equal for all brokers; absent where it cannot be read.
     */
    normalized?: OrderRow;
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own payload, untouched.
     */
    data: unknown;
    [key: string]: unknown;
};

/**
 * The broker's order list.
 */
export type OrderList = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own rows, untouched.
     */
    data: Array<unknown>;
    /**
     * The same rows, in the same order, in words that are equal for all brokers; those of unreadable are missing.
     */
    normalized: Array<OrderRow>;
    /**
     * The rows of data that cannot be read and are missing from normalized; absent when there are none.
     */
    readonly unreadable?: Array<UnreadableRow>;
    [key: string]: unknown;
};

/**
 * What the broker would hold for an order.
 */
export type OrderMargin = {
    success: true;
    /**
     * What the order needs, rupees.
     */
    required: number;
    /**
     * What is free for it, rupees; null where this answer of the broker does not say: GET /broker/funds may.
     */
    available: number | null;
    /**
     * The broker's own payload, untouched.
     */
    data: unknown;
};

/**
 * An order that may be placed.
 */
export type OrderMarginRequest = {
    /**
     * Trading symbol: the broker's own, or the one name of the instrument at every broker, as GET /broker/instruments tells it.
     */
    symbol: string;
    /**
     * The broker's instrument token. May be empty where the gateway has the broker's instrument file, and at brokers that go by symbol.
     */
    token: string;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS.
     */
    exchange: string;
    /**
     * BUY or SELL.
     */
    transaction_type: string;
    /**
     * MARKET, LIMIT, SL or SL-M.
     */
    order_type: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD.
     */
    product_type: string;
    /**
     * Number of shares or lots, in the broker's own unit for the exchange.
     */
    quantity: number;
    /**
     * Limit price in rupees; 0 for MARKET.
     */
    price?: number;
    /**
     * Trigger price in rupees for SL orders; 0 otherwise.
     */
    trigger_price?: number;
    /**
     * NORMAL, STOPLOSS or AMO.
     */
    variety?: string;
};

/**
 * The order was rejected, blocked, refused by the gateway, or is still unknown.
 */
export type OrderRefused = {
    /**
     * No accepted order is known. With fill_status UNKNOWN one may still appear.
     */
    success: false;
    /**
     * BLOCKED when the one-symbol-one-position rule or reduce_only stopped the order.
     */
    status?: string;
    /**
     * Broker order id; empty when none.
     */
    order_id?: string;
    /**
     * Why the order was refused, what to do about a MARKET order that rests, or what the broker said.
     */
    message?: string;
    /**
     * REJECTED: no order lives. UNKNOWN: not settled yet. Absent when the gateway itself refused before trying.
     */
    fill_status?: FillStatus;
    /**
     * Quantity filled; present when a fill poll ran.
     */
    filled_quantity?: number;
    /**
     * Average fill price in rupees; present when a fill poll ran, 0 while nothing filled.
     */
    avg_fill_price?: number;
    /**
     * The broker's own payload, untouched.
     */
    data?: unknown;
    [key: string]: unknown;
};

/**
 * One order in words that are equal for all brokers.
 */
export type OrderRow = {
    /**
     * Broker order id.
     */
    order_id: string;
    /**
     * Trading symbol, as the broker writes it.
     */
    symbol: string;
    /**
     * The broker's instrument token, when the row has one.
     */
    token: string | null;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.
     */
    exchange: string;
    /**
     * BUY or SELL.
     */
    transaction_type: string;
    /**
     * MARKET, LIMIT, SL or SL-M, as the broker booked it: a protected MARKET order may read LIMIT.
     */
    order_type: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD; another product keeps the broker's word.
     */
    product_type: string;
    /**
     * Quantity ordered, in the broker's own unit (units or lots).
     */
    quantity: number;
    /**
     * Quantity filled, in the broker's own unit (units or lots).
     */
    filled_quantity: number;
    /**
     * Limit price, rupees; null when the broker does not say.
     */
    price: number | null;
    /**
     * Trigger price, rupees; null when the broker does not say.
     */
    trigger_price: number | null;
    /**
     * Average price of the fills, rupees; null when the broker does not say.
     */
    average_price: number | null;
    /**
     * The state in the words of the order record.
     */
    status: 'PLACED' | 'PARTIALLY_FILLED' | 'FILLED' | 'REJECTED' | 'CANCELLED' | 'UNKNOWN';
    /**
     * The state in finer words: TRANSIT is accepted by the broker and not yet acknowledged by the exchange.
     */
    state: 'TRANSIT' | 'OPEN' | 'TRIGGER_PENDING' | 'FILLED' | 'REJECTED' | 'CANCELLED' | 'EXPIRED' | 'UNKNOWN';
    /**
     * Why the order is in this state, when the broker says.
     */
    status_message: string | null;
    /**
     * The correlation tag found on the order.
     */
    tag: string | null;
    /**
     * The broker's own variety word, when it has one.
     */
    variety: string | null;
    /**
     * When the broker took the order, UTC.
     */
    placed_at: string | null;
    /**
     * The one name of its instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
};

/**
 * One step of an order.
 */
export type OrderStep = {
    /**
     * What happened: claimed, sent, accepted, first_fill, filled, rejected, cancelled, refused, not_sent, unknown, found, resolved, resting, modify_sent, modified, modify_refused, cancel_sent, cancel_accepted, cancel_refused, external.
     */
    step: string;
    /**
     * When, UTC.
     */
    at: string;
    /**
     * How long after the first step, milliseconds.
     */
    after_ms: number;
    /**
     * What was said then; null where nothing was.
     */
    message: string | null;
};

/**
 * How the gateway stands.
 */
export type Overview = {
    success: true;
    /**
     * practice: the practice exchange. live: real money.
     */
    mode: 'practice' | 'live';
    /**
     * Version of the gateway.
     */
    version: string;
    /**
     * When this was answered, UTC.
     */
    at: string;
    /**
     * The connected broker, else the last one that was; null when none ever was.
     */
    broker: string | null;
    /**
     * Its account id.
     */
    account: string | null;
    session: {
        /**
         * Whether a session is up.
         */
        active: boolean;
        /**
         * Since when; null without a session, UTC.
         */
        since: string | null;
        /**
         * When the login ends by itself; null without a session, UTC.
         */
        ends_at: string | null;
        /**
         * Why there is no session and what to do; null while there is one.
         */
        message: string | null;
        /**
         * When the gateway signs in by itself again; null while there is a session, and where a person is needed, UTC.
         */
        next_try_at: string | null;
    };
    feed: {
        /**
         * Live prices. LIVE: they flow. CONNECTING: the socket is down and opened again. NONE: no session, or the broker has no such feed for it.
         */
        prices: 'LIVE' | 'CONNECTING' | 'NONE';
        /**
         * Order updates. LIVE: they flow. CONNECTING: the socket is down and opened again. NONE: no session, or the broker has no such feed for it.
         */
        orders: 'LIVE' | 'CONNECTING' | 'NONE';
        /**
         * When the last price came; null when none did, UTC.
         */
        last_tick_at: string | null;
        /**
         * How long ago that was, milliseconds.
         */
        last_tick_age_ms: number | null;
    };
    clock: {
        /**
         * Our clock less the broker's, milliseconds, by its Date heads; null when not known.
         */
        offset_ms: number | null;
        /**
         * When the broker last told its time, UTC.
         */
        checked_at: string | null;
    };
    database: {
        /**
         * embedded: our own. external: by DATABASE_URL.
         */
        kind: 'embedded' | 'external';
        /**
         * Whether it answered within a quarter of a second.
         */
        ok: boolean;
        /**
         * How long its answer took, milliseconds; null when none came.
         */
        latency_ms: number | null;
    };
    kill_switch: {
        /**
         * true: nothing leaves that can grow a position.
         */
        on: boolean;
        /**
         * When it was turned; null when it never was, UTC.
         */
        since: string | null;
        /**
         * Who turned it.
         */
        by: string | null;
    };
    /**
     * When the exchanges trade. The practice exchange never closes.
     */
    market: Array<{
        /**
         * NSE, BSE, NFO, BFO, MCX or CDS.
         */
        exchange: string;
        /**
         * Whether it trades now.
         */
        open: boolean;
        /**
         * When it opens next; null while open, UTC.
         */
        opens_at: string | null;
        /**
         * When it closes; null while closed, and where it never does, UTC.
         */
        closes_at: string | null;
    }>;
    /**
     * The trading calendar.
     */
    calendar: {
        /**
         * The last day whose holidays are known; null in practice mode, which has none.
         */
        last_day: string | null;
        /**
         * Whether that is within 30 days: a newer calendar is needed.
         */
        ends_soon: boolean;
    };
    /**
     * Orders whose fate is not known.
     */
    unresolved: number;
};

/**
 * An order to place.
 */
export type PlaceOrderRequest = {
    /**
     * Trading symbol: the broker's own, or the one name of the instrument at every broker, as GET /broker/instruments tells it.
     */
    symbol: string;
    /**
     * The broker's instrument token. May be empty where the gateway has the broker's instrument file, and at brokers that go by symbol.
     */
    token: string;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS.
     */
    exchange: string;
    /**
     * BUY or SELL.
     */
    transaction_type: string;
    /**
     * MARKET, LIMIT, SL or SL-M.
     */
    order_type: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD.
     */
    product_type: string;
    /**
     * Number of shares or lots, in the broker's own unit for the exchange.
     */
    quantity: number;
    /**
     * Limit price in rupees; 0 for MARKET.
     */
    price?: number;
    /**
     * Trigger price in rupees for SL orders; 0 otherwise.
     */
    trigger_price?: number;
    /**
     * NORMAL, STOPLOSS or AMO.
     */
    variety?: string;
    /**
     * Caller-chosen key. A repeat with the same key replays the stored answer and places nothing. Without one the order itself is the key for 60 s.
     */
    idempotency_key?: string | null;
    /**
     * true: the order passes only when it cannot open or flip a position: quantity plus own orders of that side under way and resting must fit into the product's net quantity. Otherwise it is BLOCKED, and that answer is not stored.
     */
    reduce_only?: boolean;
    /**
     * What placed the order, for the records of the order, of the position it opens and of what that earns. Not a part of what makes orders equal.
     */
    strategy?: string | null;
    /**
     * How sure the strategy is, 0 to 1; recorded beside its name with four decimals.
     */
    ai_confidence?: number | null;
};

/**
 * What became of the order.
 */
export type PlaceOrderResult = OrderAccepted | OrderRefused;

export type PlanExitsAnswer = ExitPlan | Failure;

/**
 * A resting order of the exit side.
 */
export type PlannedCancel = {
    /**
     * Broker order id.
     */
    order_id: string;
    /**
     * MARKET, LIMIT, SL or SL-M.
     */
    order_type: string;
    /**
     * What of it has not filled, in the broker's own unit.
     */
    quantity: number;
    /**
     * Limit price, rupees; null when the broker does not say.
     */
    price: number | null;
    /**
     * Trigger price, rupees; null when the broker does not say.
     */
    trigger_price: number | null;
};

/**
 * What the exit of one position does.
 */
export type PlannedExit = {
    /**
     * The one name of its instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
    /**
     * As the broker's row has it.
     */
    exchange: string;
    /**
     * As the broker writes it.
     */
    symbol: string;
    /**
     * The broker's instrument token; empty when the row has none.
     */
    token: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD.
     */
    product_type: string;
    /**
     * Shares held from earlier days.
     */
    holding: boolean;
    /**
     * Net open quantity, positive long, negative short, in the broker's own unit.
     */
    net_quantity: number;
    /**
     * SELL for a long position, BUY for a short one; null where there is nothing to exit.
     */
    side: string | null;
    /**
     * What the exit sends: the whole position, less what is under way already and cannot be cancelled, in the broker's own unit.
     */
    quantity: number;
    /**
     * Last traded price, rupees; null when the broker does not say.
     */
    last_price: number | null;
    /**
     * What a person should know before this exit.
     */
    warnings: Array<string>;
    /**
     * Resting orders of the exit side, which are cancelled first: a stop among them protects no more from then on.
     */
    cancels: Array<PlannedCancel>;
};

/**
 * The broker's positions.
 */
export type PositionList = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own rows, untouched.
     */
    data: Array<unknown>;
    /**
     * The same rows, in the same order, in words that are equal for all brokers; those of unreadable are missing.
     */
    normalized: Array<PositionRow>;
    /**
     * The rows of data that cannot be read and are missing from normalized; absent when there are none.
     */
    readonly unreadable?: Array<UnreadableRow>;
    [key: string]: unknown;
};

/**
 * What names one position.
 */
export type PositionName = {
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS.
     */
    exchange: string;
    /**
     * The broker's own symbol, or the one name of the instrument.
     */
    symbol: string;
    /**
     * The broker's instrument token, where it is known.
     */
    token?: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD.
     */
    product_type: string;
    /**
     * true: the shares held from earlier days, which no exit sells unless they are named so.
     */
    holding?: boolean;
};

/**
 * One position in words that are equal for all brokers.
 */
export type PositionRow = {
    /**
     * Trading symbol, as the broker writes it.
     */
    symbol: string;
    /**
     * The broker's instrument token, when the row has one.
     */
    token: string | null;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.
     */
    exchange: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD; another product keeps the broker's word.
     */
    product_type: string;
    /**
     * Net open quantity, positive long, negative short, in the broker's own unit (units or lots).
     */
    net_quantity: number;
    /**
     * Average entry price, rupees; null when the broker does not say.
     */
    average_price: number | null;
    /**
     * Last traded price, rupees; null when the broker does not say.
     */
    last_price: number | null;
    /**
     * Profit realised today, rupees; null when the broker does not say.
     */
    realized_pnl: number | null;
    /**
     * Profit not realised, rupees; null when the broker does not say.
     */
    unrealized_pnl: number | null;
    /**
     * Units one quantity stands for when money is computed.
     */
    multiplier: number;
    /**
     * The one name of its instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
};

/**
 * How the price of one instrument went, with the fills on it.
 */
export type PriceHistory = {
    success: true;
    /**
     * The trading day it tells of, YYYY-MM-DD, IST.
     */
    day: string;
    /**
     * Whose records: the connected broker, else the last one that was; null when none ever was.
     */
    broker: string | null;
    exchange: string;
    /**
     * As our records and the feed name it.
     */
    symbol: string;
    /**
     * Every 5 s while it moved and the feed followed it, older ones thinned; since the start of the gateway or of the day.
     */
    points: Array<{
        /**
         * When, UTC.
         */
        at: string;
        /**
         * Last traded price, rupees.
         */
        price: number;
    }>;
    /**
     * The day's executions in it, oldest first.
     */
    fills: Array<{
        /**
         * When, UTC.
         */
        at: string;
        /**
         * Rupees.
         */
        price: number;
        /**
         * In the broker's own unit.
         */
        quantity: number;
        /**
         * BUY or SELL.
         */
        side: string;
        /**
         * Broker order id.
         */
        order_id: string;
    }>;
};

/**
 * The broker's profile.
 */
export type Profile = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own payload, untouched.
     */
    data: unknown;
    [key: string]: unknown;
};

/**
 * What an instrument trades at.
 */
export type Quote = {
    /**
     * The one name of an instrument at every broker, EXCHANGE:SYMBOL: NSE:SBIN, NSE_INDEX:NIFTY, NFO:NIFTY29DEC26FUT, NFO:NIFTY29DEC2626000CE.
     */
    instrument: string;
    /**
     * Last traded price, of an index its level, rupees; null when the broker does not say.
     */
    last_price: number | null;
    /**
     * Best price somebody buys at, rupees; null when the broker does not say.
     */
    bid: number | null;
    /**
     * Best price somebody sells at, rupees; null when the broker does not say.
     */
    ask: number | null;
    /**
     * The day's first price, rupees; null when the broker does not say.
     */
    open: number | null;
    /**
     * The day's highest price, rupees; null when the broker does not say.
     */
    high: number | null;
    /**
     * The day's lowest price, rupees; null when the broker does not say.
     */
    low: number | null;
    /**
     * The day before's close, rupees; null when the broker does not say.
     */
    close: number | null;
    /**
     * Quantity traded today, in the broker's own unit; null when the broker does not say.
     */
    volume: number | null;
    /**
     * When the last price was known to hold, UTC.
     */
    at: string | null;
    /**
     * How long before this answer that was, milliseconds.
     */
    age_ms: number | null;
};

/**
 * Quotes of the instruments asked for.
 */
export type QuoteList = {
    success: true;
    /**
     * In the order asked for, without those that are missing.
     */
    quotes: Array<Quote>;
    /**
     * Instruments without a quote; absent when there are none.
     */
    missing?: Array<{
        /**
         * As it was asked for.
         */
        instrument: string;
        /**
         * Why there is no quote.
         */
        message: string;
    }>;
};

/**
 * One order of our records, with its steps.
 */
export type RecordedOrder = {
    /**
     * Broker order id; null while none is known, and for what was never sent.
     */
    order_id: string | null;
    exchange: string | null;
    /**
     * The symbol, as our records have it.
     */
    symbol: string;
    /**
     * The one name of the instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
    transaction_type: string | null;
    /**
     * MARKET, LIMIT, SL or SL-M.
     */
    order_type: string | null;
    product_type: string | null;
    quantity: number | null;
    /**
     * Quantity filled, in the broker's own unit (units or lots).
     */
    filled_quantity: number;
    /**
     * Limit price; 0 for MARKET, rupees; null when it was not kept.
     */
    price: number | null;
    /**
     * Trigger price of SL orders; 0 otherwise, rupees; null when it was not kept.
     */
    trigger_price: number | null;
    /**
     * Average price of the fills, rupees; null when nothing filled.
     */
    average_price: number | null;
    /**
     * The word of the order record. REFUSED: it never left the gateway. UNKNOWN: its fate is not known.
     */
    status: 'PLACED' | 'PARTIALLY_FILLED' | 'FILLED' | 'REJECTED' | 'CANCELLED' | 'UNKNOWN' | 'REFUSED';
    /**
     * SENDING, ACCEPTED, AMBIGUOUS, DONE, NOT_SENT or UNRESOLVED; null for orders placed elsewhere, and once the attempt is forgotten.
     */
    attempt_state: string | null;
    /**
     * Its fate is not known: look at `advice`.
     */
    unresolved: boolean;
    /**
     * What placed the order, as its caller said; null where nobody said.
     */
    strategy: string | null;
    /**
     * Why it was rejected, cancelled or refused; null for any other, and where nobody said.
     */
    reason: string | null;
    /**
     * Placed elsewhere, in the broker's own app.
     */
    external: boolean;
    /**
     * When it began, UTC.
     */
    placed_at: string;
    /**
     * What happened to it, in order.
     */
    steps: Array<OrderStep>;
    /**
     * What to do now, one sentence; null when nothing.
     */
    advice: string | null;
};

/**
 * The day's orders, ours and those placed elsewhere.
 */
export type RecordedOrders = {
    success: true;
    /**
     * The trading day it tells of, YYYY-MM-DD, IST.
     */
    day: string;
    /**
     * Whose records: the connected broker, else the last one that was; null when none ever was.
     */
    broker: string | null;
    /**
     * Unresolved ones first, then the newest.
     */
    orders: Array<RecordedOrder>;
};

/**
 * One position of our records.
 */
export type RecordedPosition = {
    /**
     * Number of the position record.
     */
    id: number;
    /**
     * The one name of the instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.
     */
    exchange: string;
    /**
     * The symbol, as our records have it.
     */
    symbol: string;
    /**
     * The broker's instrument token, where our records have one.
     */
    token: string | null;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD.
     */
    product_type: string;
    /**
     * BUY: it is or was long. SELL: short.
     */
    side: string;
    /**
     * Whether it is open.
     */
    status: 'OPEN' | 'CLOSED';
    /**
     * What is open, positive long, negative short; 0 when closed, in the broker's own unit (units or lots).
     */
    net_quantity: number;
    /**
     * Average cost of what is open, or of what was, rupees; null when nobody told it.
     */
    average_price: number | null;
    /**
     * Average price of what was closed, rupees; null when nothing was closed, or not known.
     */
    exit_price: number | null;
    /**
     * Last traded price, rupees; null when none was seen.
     */
    last_price: number | null;
    /**
     * When the last price came; of a price of the records, when it last changed, UTC.
     */
    price_at: string | null;
    /**
     * What the day's executions realised against average cost, rupees; null when not known.
     */
    realised_today: number | null;
    /**
     * What this position realised since it was opened, rupees; null when not known.
     */
    realised: number | null;
    /**
     * What is open at the last price against its average cost, rupees; null when not known.
     */
    unrealised: number | null;
    /**
     * Profit of the day: since yesterday's close, or since today's entry, rupees; null when not known.
     */
    profit_today: number | null;
    /**
     * Realised and unrealised since it was opened, rupees; null when not known.
     */
    profit_since_entry: number | null;
    /**
     * Why a profit is null; null where none is.
     */
    unknown: string | null;
    /**
     * What placed the order, as its caller said; null where nobody said.
     */
    strategy: string | null;
    /**
     * When it was opened, UTC.
     */
    opened_at: string;
    /**
     * When it was closed; null while open, UTC.
     */
    closed_at: string | null;
    /**
     * ORDER, NOT_HELD_AT_BROKER or ACCOUNT_CHANGED; null while open.
     */
    close_reason: string | null;
};

/**
 * What is open now, and what was closed on the day.
 */
export type RecordedPositions = {
    success: true;
    /**
     * The trading day it tells of, YYYY-MM-DD, IST.
     */
    day: string;
    /**
     * Whose records: the connected broker, else the last one that was; null when none ever was.
     */
    broker: string | null;
    /**
     * Open ones first, then the newest.
     */
    positions: Array<RecordedPosition>;
};

/**
 * One execution of our records.
 */
export type RecordedTrade = {
    /**
     * Execution id of the exchange or broker.
     */
    trade_id: string;
    /**
     * Broker order id.
     */
    order_id: string;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.
     */
    exchange: string;
    /**
     * The symbol, as our records have it.
     */
    symbol: string;
    /**
     * The one name of the instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
    /**
     * BUY or SELL.
     */
    transaction_type: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD.
     */
    product_type: string;
    /**
     * Quantity of this execution, in the broker's own unit (units or lots).
     */
    quantity: number;
    /**
     * Price of this execution, rupees.
     */
    price: number;
    /**
     * When it traded, UTC.
     */
    traded_at: string;
    /**
     * The position record it changed first; null: it traded before our books began.
     */
    position_id: number | null;
    /**
     * Told by the order book's cumulative fill; the exchange's own trades replace it.
     */
    derived: boolean;
};

/**
 * The day's executions.
 */
export type RecordedTrades = {
    success: true;
    /**
     * The trading day it tells of, YYYY-MM-DD, IST.
     */
    day: string;
    /**
     * Whose records: the connected broker, else the last one that was; null when none ever was.
     */
    broker: string | null;
    /**
     * Newest first.
     */
    trades: Array<RecordedTrade>;
};

/**
 * The request itself could not be served.
 */
export type RequestError = {
    success: false;
    /**
     * What was wrong with the request.
     */
    message: string;
    /**
     * One entry for each bad field (422 only).
     */
    issues?: Array<Issue>;
};

export type RevokeUserAnswer = UserRevoked | Failure;

/**
 * Whose token is to end.
 */
export type RevokeUserRequest = {
    /**
     * 1 to 64 of a-z, 0-9, dot, underscore and dash.
     */
    name: string;
    /**
     * true: also where it is the user of this request, whose token ends with it.
     */
    confirm?: boolean;
};

export type SearchInstrumentsAnswer = InstrumentList | Failure;

export type SetKillSwitchAnswer = KillSwitchState | Failure;

/**
 * Where the kill switch is to stand.
 */
export type SetKillSwitchRequest = {
    /**
     * true turns it on, false releases it.
     */
    on: boolean;
};

/**
 * Something that was told and is not over.
 */
export type StandingAlert = {
    /**
     * What it is about.
     */
    kind: 'login_needed' | 'session_lost' | 'feed_silent' | 'order_unknown' | 'order_rejected' | 'reconciliation' | 'kill_switch' | 'database' | 'daily_loss' | 'calendar_ends' | 'all_well' | 'dropped' | 'test';
    /**
     * When it began, UTC.
     */
    since: string;
    /**
     * What was told.
     */
    message: string;
    /**
     * One sentence.
     */
    what_to_do: string;
};

/**
 * Of order, position, session and notice: a GatewayEvent. Of tick: a Quote.
 */
export type StreamMessage = GatewayEvent | Quote;

/**
 * The brokers this gateway can connect to.
 */
export type SupportedBrokers = {
    success: true;
    /**
     * Identifiers accepted by connect and test.
     */
    brokers: Array<string>;
    /**
     * Length of brokers.
     */
    count: number;
};

export type TestAlertsAnswer = AlertTest | Failure;

/**
 * A self-test of broker connectivity.
 */
export type TestReport = {
    /**
     * Broker tested.
     */
    broker: string;
    /**
     * Results by test label: connect, profile, funds, holdings, positions, orders.
     */
    tests: {
        [key: string]: TestResult;
    };
    /**
     * Tests that passed.
     */
    passed: number;
    /**
     * Tests that failed.
     */
    failed: number;
    /**
     * Tests run.
     */
    total: number;
    /**
     * PASSED: none failed. FAILED: none passed. PARTIAL: some of each.
     */
    status: 'UNKNOWN' | 'PASSED' | 'FAILED' | 'PARTIAL';
    /**
     * When the report was made, UTC, to the second.
     */
    timestamp: string;
    /**
     * Why the broker could not be instantiated.
     */
    error?: string;
    /**
     * What to do about a failure to instantiate or connect.
     */
    hint?: string;
};

/**
 * One test of a broker.
 */
export type TestResult = {
    /**
     * Outcome of this test.
     */
    status: 'PASS' | 'FAIL';
    /**
     * Time taken in milliseconds, one decimal.
     */
    latency_ms: number;
    /**
     * What the broker answered; present on PASS.
     */
    data?: unknown;
    /**
     * Why it failed; present on FAIL.
     */
    error?: string;
};

export type TestSessionAnswer = TestReport | Failure;

/**
 * The day's executions.
 */
export type TradeBook = {
    success: true;
    message?: string;
    /**
     * The broker's own trade book, untouched.
     */
    data: unknown;
    /**
     * The same rows in words that are equal for all brokers.
     */
    normalized?: Array<TradeRow>;
    /**
     * The rows of data that cannot be read and are missing from normalized; absent when there are none.
     */
    readonly unreadable?: Array<UnreadableRow>;
    [key: string]: unknown;
};

/**
 * One execution in words that are equal for all brokers.
 */
export type TradeRow = {
    /**
     * Execution id of the exchange or broker.
     */
    trade_id: string;
    /**
     * Broker order id.
     */
    order_id: string;
    /**
     * Trading symbol, as the broker writes it.
     */
    symbol: string;
    /**
     * The broker's instrument token, when the row has one.
     */
    token: string | null;
    /**
     * NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.
     */
    exchange: string;
    /**
     * BUY or SELL.
     */
    transaction_type: string;
    /**
     * INTRADAY, DELIVERY or CARRYFORWARD; another product keeps the broker's word.
     */
    product_type: string;
    /**
     * Quantity of this execution, in the broker's own unit (units or lots).
     */
    quantity: number;
    /**
     * Price of this execution, rupees.
     */
    price: number;
    /**
     * When it traded, UTC.
     */
    traded_at: string | null;
    /**
     * The one name of its instrument; null where the broker's instrument file has none.
     */
    instrument: string | null;
};

/**
 * A row the gateway cannot read, with what can be read of its name: without symbol and token it may be any instrument.
 */
export type UnreadableRow = {
    /**
     * The broker's row, as in data.
     */
    row: unknown;
    /**
     * The field that cannot be read, and why.
     */
    reason: string;
    exchange: string | null;
    symbol: string | null;
    /**
     * The broker's instrument token, when the row has one.
     */
    token: string | null;
};

/**
 * The user was made, or a revoked one given a new token.
 */
export type UserAdded = {
    success: true;
    /**
     * Its name.
     */
    name: string;
    /**
     * Its API token. It is shown here, once, and kept nowhere.
     */
    token: string;
};

/**
 * The users of the gateway. Their tokens are nowhere to be read.
 */
export type UserList = {
    success: true;
    /**
     * By name.
     */
    users: Array<UserRow>;
};

/**
 * The token is refused from now on.
 */
export type UserRevoked = {
    success: true;
    /**
     * What was done.
     */
    message: string;
};

/**
 * A user of the gateway.
 */
export type UserRow = {
    /**
     * Its name.
     */
    name: string;
    /**
     * When its token was made, UTC.
     */
    created_at: string;
    /**
     * When its token was revoked, UTC; null while it is valid.
     */
    revoked_at: string | null;
    /**
     * Whose token this request carries.
     */
    you: boolean;
};

export type GetHoldingsAnswerWritable = HoldingListWritable | Failure;

export type GetPositionsAnswerWritable = PositionListWritable | Failure;

export type GetTradebookAnswerWritable = TradeBookWritable | Failure | BareTradeBook;

/**
 * The broker's holdings.
 */
export type HoldingListWritable = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own rows, untouched.
     */
    data: Array<unknown>;
    /**
     * The same rows, in the same order, in words that are equal for all brokers; those of unreadable are missing.
     */
    normalized: Array<HoldingRow>;
    [key: string]: unknown;
};

export type ListOrdersAnswerWritable = OrderListWritable | Failure;

/**
 * The broker's order list.
 */
export type OrderListWritable = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own rows, untouched.
     */
    data: Array<unknown>;
    /**
     * The same rows, in the same order, in words that are equal for all brokers; those of unreadable are missing.
     */
    normalized: Array<OrderRow>;
    [key: string]: unknown;
};

/**
 * The broker's positions.
 */
export type PositionListWritable = {
    /**
     * Always true: the broker answered.
     */
    success: true;
    /**
     * The broker's own message, when it sent one.
     */
    message?: string;
    /**
     * The broker's own rows, untouched.
     */
    data: Array<unknown>;
    /**
     * The same rows, in the same order, in words that are equal for all brokers; those of unreadable are missing.
     */
    normalized: Array<PositionRow>;
    [key: string]: unknown;
};

/**
 * The day's executions.
 */
export type TradeBookWritable = {
    success: true;
    message?: string;
    /**
     * The broker's own trade book, untouched.
     */
    data: unknown;
    /**
     * The same rows in words that are equal for all brokers.
     */
    normalized?: Array<TradeRow>;
    [key: string]: unknown;
};

export type GetStatusData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/';
};

export type GetStatusErrors = {
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
};

export type GetStatusError = GetStatusErrors[keyof GetStatusErrors];

export type GetStatusResponses = {
    /**
     * The gateway is up.
     */
    200: GatewayStatus;
};

export type GetStatusResponse = GetStatusResponses[keyof GetStatusResponses];

export type ConnectBrokerData = {
    body?: never;
    path?: never;
    query: {
        /**
         * One of the supported identifiers.
         */
        broker: string;
    };
    url: '/broker/connect';
};

export type ConnectBrokerErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ConnectBrokerError = ConnectBrokerErrors[keyof ConnectBrokerErrors];

export type ConnectBrokerResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ConnectBrokerAnswer;
};

export type ConnectBrokerResponse = ConnectBrokerResponses[keyof ConnectBrokerResponses];

export type DisconnectBrokerData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/disconnect';
};

export type DisconnectBrokerErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type DisconnectBrokerError = DisconnectBrokerErrors[keyof DisconnectBrokerErrors];

export type DisconnectBrokerResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: DisconnectBrokerAnswer;
};

export type DisconnectBrokerResponse = DisconnectBrokerResponses[keyof DisconnectBrokerResponses];

export type BeginLoginData = {
    body: BeginLoginRequest;
    path?: never;
    query?: never;
    url: '/broker/login';
};

export type BeginLoginErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type BeginLoginError = BeginLoginErrors[keyof BeginLoginErrors];

export type BeginLoginResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: BeginLoginAnswer;
};

export type BeginLoginResponse = BeginLoginResponses[keyof BeginLoginResponses];

export type FinishLoginData = {
    body: FinishLoginRequest;
    path?: never;
    query?: never;
    url: '/broker/login/finish';
};

export type FinishLoginErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type FinishLoginError = FinishLoginErrors[keyof FinishLoginErrors];

export type FinishLoginResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: FinishLoginAnswer;
};

export type FinishLoginResponse = FinishLoginResponses[keyof FinishLoginResponses];

export type GetProfileData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/profile';
};

export type GetProfileErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetProfileError = GetProfileErrors[keyof GetProfileErrors];

export type GetProfileResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetProfileAnswer;
};

export type GetProfileResponse = GetProfileResponses[keyof GetProfileResponses];

export type GetFundsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/funds';
};

export type GetFundsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetFundsError = GetFundsErrors[keyof GetFundsErrors];

export type GetFundsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetFundsAnswer;
};

export type GetFundsResponse = GetFundsResponses[keyof GetFundsResponses];

export type GetHoldingsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/holdings';
};

export type GetHoldingsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetHoldingsError = GetHoldingsErrors[keyof GetHoldingsErrors];

export type GetHoldingsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetHoldingsAnswer;
};

export type GetHoldingsResponse = GetHoldingsResponses[keyof GetHoldingsResponses];

export type GetPositionsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/positions';
};

export type GetPositionsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetPositionsError = GetPositionsErrors[keyof GetPositionsErrors];

export type GetPositionsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetPositionsAnswer;
};

export type GetPositionsResponse = GetPositionsResponses[keyof GetPositionsResponses];

export type ListOrdersData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/orders';
};

export type ListOrdersErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ListOrdersError = ListOrdersErrors[keyof ListOrdersErrors];

export type ListOrdersResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ListOrdersAnswer;
};

export type ListOrdersResponse = ListOrdersResponses[keyof ListOrdersResponses];

export type GetOrderData = {
    body?: never;
    path: {
        /**
         * Broker order id.
         */
        order_id: string;
    };
    query?: never;
    url: '/broker/orders/{order_id}';
};

export type GetOrderErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetOrderError = GetOrderErrors[keyof GetOrderErrors];

export type GetOrderResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetOrderAnswer;
};

export type GetOrderResponse = GetOrderResponses[keyof GetOrderResponses];

export type PlaceOrderData = {
    body: PlaceOrderRequest;
    headers?: {
        /**
         * true (in any letter case) asks what is known under this key: a known key replays its answer, an unknown one sends nothing. Any other value is refused.
         */
        'Idempotency-Replay-Only'?: 'true';
    };
    path?: never;
    query?: never;
    url: '/broker/orders/place';
};

export type PlaceOrderErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The first request with this key has not come to an end; ask again.
     */
    409: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type PlaceOrderError = PlaceOrderErrors[keyof PlaceOrderErrors];

export type PlaceOrderResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: PlaceOrderResult;
};

export type PlaceOrderResponse = PlaceOrderResponses[keyof PlaceOrderResponses];

export type ModifyOrderData = {
    body: ModifyOrderRequest;
    path?: never;
    query?: never;
    url: '/broker/orders/modify';
};

export type ModifyOrderErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ModifyOrderError = ModifyOrderErrors[keyof ModifyOrderErrors];

export type ModifyOrderResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ModifyOrderAnswer;
};

export type ModifyOrderResponse = ModifyOrderResponses[keyof ModifyOrderResponses];

export type CancelOrderData = {
    body: CancelOrderRequest;
    path?: never;
    query?: never;
    url: '/broker/orders/cancel';
};

export type CancelOrderErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type CancelOrderError = CancelOrderErrors[keyof CancelOrderErrors];

export type CancelOrderResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: CancelOrderAnswer;
};

export type CancelOrderResponse = CancelOrderResponses[keyof CancelOrderResponses];

export type GetOrderMarginData = {
    body: OrderMarginRequest;
    path?: never;
    query?: never;
    url: '/broker/margin';
};

export type GetOrderMarginErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetOrderMarginError = GetOrderMarginErrors[keyof GetOrderMarginErrors];

export type GetOrderMarginResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetOrderMarginAnswer;
};

export type GetOrderMarginResponse = GetOrderMarginResponses[keyof GetOrderMarginResponses];

export type PlanExitsData = {
    body?: never;
    path?: never;
    query?: {
        holdings?: 'true' | 'false';
    };
    url: '/broker/exits';
};

export type PlanExitsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type PlanExitsError = PlanExitsErrors[keyof PlanExitsErrors];

export type PlanExitsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: PlanExitsAnswer;
};

export type PlanExitsResponse = PlanExitsResponses[keyof PlanExitsResponses];

export type ExitPositionsData = {
    body: ExitRequest;
    headers?: {
        /**
         * true (in any letter case) asks what is known under this key: a known key replays its answer, an unknown one sends nothing. Any other value is refused.
         */
        'Idempotency-Replay-Only'?: 'true';
    };
    path?: never;
    query?: never;
    url: '/broker/exits';
};

export type ExitPositionsErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ExitPositionsError = ExitPositionsErrors[keyof ExitPositionsErrors];

export type ExitPositionsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ExitPositionsAnswer;
};

export type ExitPositionsResponse = ExitPositionsResponses[keyof ExitPositionsResponses];

export type GetSupportedBrokersData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/supported';
};

export type GetSupportedBrokersErrors = {
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
};

export type GetSupportedBrokersError = GetSupportedBrokersErrors[keyof GetSupportedBrokersErrors];

export type GetSupportedBrokersResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: SupportedBrokers;
};

export type GetSupportedBrokersResponse = GetSupportedBrokersResponses[keyof GetSupportedBrokersResponses];

export type TestBrokerData = {
    body?: never;
    path: {
        /**
         * One of the supported identifiers.
         */
        broker_name: string;
    };
    query?: never;
    url: '/broker/test/{broker_name}';
};

export type TestBrokerErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type TestBrokerError = TestBrokerErrors[keyof TestBrokerErrors];

export type TestBrokerResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: TestReport;
};

export type TestBrokerResponse = TestBrokerResponses[keyof TestBrokerResponses];

export type TestSessionData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/test';
};

export type TestSessionErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type TestSessionError = TestSessionErrors[keyof TestSessionErrors];

export type TestSessionResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: TestSessionAnswer;
};

export type TestSessionResponse = TestSessionResponses[keyof TestSessionResponses];

export type GetTradebookData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/tradebook';
};

export type GetTradebookErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetTradebookError = GetTradebookErrors[keyof GetTradebookErrors];

export type GetTradebookResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetTradebookAnswer;
};

export type GetTradebookResponse = GetTradebookResponses[keyof GetTradebookResponses];

export type GetQuotesData = {
    body?: never;
    path?: never;
    query: {
        /**
         * Names, separated by commas, at most 50: EXCHANGE:SYMBOL, the one name or the broker's own symbol.
         */
        instruments: string;
    };
    url: '/broker/quotes';
};

export type GetQuotesErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetQuotesError = GetQuotesErrors[keyof GetQuotesErrors];

export type GetQuotesResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetQuotesAnswer;
};

export type GetQuotesResponse = GetQuotesResponses[keyof GetQuotesResponses];

export type GetKillSwitchData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/kill-switch';
};

export type GetKillSwitchErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetKillSwitchError = GetKillSwitchErrors[keyof GetKillSwitchErrors];

export type GetKillSwitchResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: KillSwitchState;
};

export type GetKillSwitchResponse = GetKillSwitchResponses[keyof GetKillSwitchResponses];

export type SetKillSwitchData = {
    body: SetKillSwitchRequest;
    path?: never;
    query?: never;
    url: '/broker/kill-switch';
};

export type SetKillSwitchErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type SetKillSwitchError = SetKillSwitchErrors[keyof SetKillSwitchErrors];

export type SetKillSwitchResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: SetKillSwitchAnswer;
};

export type SetKillSwitchResponse = SetKillSwitchResponses[keyof SetKillSwitchResponses];

export type SearchInstrumentsData = {
    body?: never;
    path?: never;
    query?: {
        q?: string;
        exchange?: string;
        underlying?: string;
        kind?: string;
        expiry?: string;
        strike_from?: string;
        strike_to?: string;
        after?: string;
        limit?: number;
    };
    url: '/broker/instruments';
};

export type SearchInstrumentsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type SearchInstrumentsError = SearchInstrumentsErrors[keyof SearchInstrumentsErrors];

export type SearchInstrumentsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: SearchInstrumentsAnswer;
};

export type SearchInstrumentsResponse = SearchInstrumentsResponses[keyof SearchInstrumentsResponses];

export type GetInstrumentData = {
    body?: never;
    path: {
        /**
         * Its exchange.
         */
        exchange: string;
        /**
         * Its one name, or the broker's symbol.
         */
        symbol: string;
    };
    query?: never;
    url: '/broker/instruments/{exchange}/{symbol}';
};

export type GetInstrumentErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetInstrumentError = GetInstrumentErrors[keyof GetInstrumentErrors];

export type GetInstrumentResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetInstrumentAnswer;
};

export type GetInstrumentResponse = GetInstrumentResponses[keyof GetInstrumentResponses];

export type GetOverviewData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/overview';
};

export type GetOverviewErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetOverviewError = GetOverviewErrors[keyof GetOverviewErrors];

export type GetOverviewResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetOverviewAnswer;
};

export type GetOverviewResponse = GetOverviewResponses[keyof GetOverviewResponses];

export type ListRecordedPositionsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * OPEN, CLOSED or ALL; ALL unless given.
         */
        status?: 'OPEN' | 'CLOSED' | 'ALL';
        /**
         * The trading day, YYYY-MM-DD, IST; today unless given.
         */
        day?: string;
    };
    url: '/broker/records/positions';
};

export type ListRecordedPositionsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ListRecordedPositionsError = ListRecordedPositionsErrors[keyof ListRecordedPositionsErrors];

export type ListRecordedPositionsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ListRecordedPositionsAnswer;
};

export type ListRecordedPositionsResponse = ListRecordedPositionsResponses[keyof ListRecordedPositionsResponses];

export type ListRecordedOrdersData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The trading day, YYYY-MM-DD, IST; today unless given.
         */
        day?: string;
    };
    url: '/broker/records/orders';
};

export type ListRecordedOrdersErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ListRecordedOrdersError = ListRecordedOrdersErrors[keyof ListRecordedOrdersErrors];

export type ListRecordedOrdersResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ListRecordedOrdersAnswer;
};

export type ListRecordedOrdersResponse = ListRecordedOrdersResponses[keyof ListRecordedOrdersResponses];

export type ListRecordedTradesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The trading day, YYYY-MM-DD, IST; today unless given.
         */
        day?: string;
    };
    url: '/broker/records/trades';
};

export type ListRecordedTradesErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ListRecordedTradesError = ListRecordedTradesErrors[keyof ListRecordedTradesErrors];

export type ListRecordedTradesResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ListRecordedTradesAnswer;
};

export type ListRecordedTradesResponse = ListRecordedTradesResponses[keyof ListRecordedTradesResponses];

export type ListUsersData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/users';
};

export type ListUsersErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ListUsersError = ListUsersErrors[keyof ListUsersErrors];

export type ListUsersResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ListUsersAnswer;
};

export type ListUsersResponse = ListUsersResponses[keyof ListUsersResponses];

export type AddUserData = {
    body: AddUserRequest;
    path?: never;
    query?: never;
    url: '/broker/users';
};

export type AddUserErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type AddUserError = AddUserErrors[keyof AddUserErrors];

export type AddUserResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: AddUserAnswer;
};

export type AddUserResponse = AddUserResponses[keyof AddUserResponses];

export type RevokeUserData = {
    body: RevokeUserRequest;
    path?: never;
    query?: never;
    url: '/broker/users/revoke';
};

export type RevokeUserErrors = {
    /**
     * The body is not valid JSON, or the path is wrongly encoded.
     */
    400: RequestError;
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type RevokeUserError = RevokeUserErrors[keyof RevokeUserErrors];

export type RevokeUserResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: RevokeUserAnswer;
};

export type RevokeUserResponse = RevokeUserResponses[keyof RevokeUserResponses];

export type GetProfitData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The trading day, YYYY-MM-DD, IST; today unless given.
         */
        day?: string;
    };
    url: '/broker/profit';
};

export type GetProfitErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetProfitError = GetProfitErrors[keyof GetProfitErrors];

export type GetProfitResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetProfitAnswer;
};

export type GetProfitResponse = GetProfitResponses[keyof GetProfitResponses];

export type GetPricesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The one name of an instrument at every broker, EXCHANGE:SYMBOL: NSE:SBIN, NSE_INDEX:NIFTY, NFO:NIFTY29DEC26FUT, NFO:NIFTY29DEC2626000CE.
         */
        instrument?: string;
        exchange?: string;
        symbol?: string;
        /**
         * The trading day, YYYY-MM-DD, IST; today unless given.
         */
        day?: string;
    };
    url: '/broker/prices';
};

export type GetPricesErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetPricesError = GetPricesErrors[keyof GetPricesErrors];

export type GetPricesResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetPricesAnswer;
};

export type GetPricesResponse = GetPricesResponses[keyof GetPricesResponses];

export type GetLatenciesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The trading day, YYYY-MM-DD, IST; today unless given.
         */
        day?: string;
    };
    url: '/broker/latencies';
};

export type GetLatenciesErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetLatenciesError = GetLatenciesErrors[keyof GetLatenciesErrors];

export type GetLatenciesResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetLatenciesAnswer;
};

export type GetLatenciesResponse = GetLatenciesResponses[keyof GetLatenciesResponses];

export type ListEventsData = {
    body?: never;
    path?: never;
    query?: {
        after?: number;
        before?: number;
        kind?: string;
        symbol?: string;
        order_id?: string;
        /**
         * Only from this moment on, ISO 8601 with its zone, read to the millisecond.
         */
        from?: string;
        /**
         * Only before this moment, ISO 8601 with its zone, read to the millisecond.
         */
        to?: string;
        limit?: number;
    };
    url: '/broker/events';
};

export type ListEventsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type ListEventsError = ListEventsErrors[keyof ListEventsErrors];

export type ListEventsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: ListEventsAnswer;
};

export type ListEventsResponse = ListEventsResponses[keyof ListEventsResponses];

export type GetAlertsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/alerts';
};

export type GetAlertsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type GetAlertsError = GetAlertsErrors[keyof GetAlertsErrors];

export type GetAlertsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: GetAlertsAnswer;
};

export type GetAlertsResponse = GetAlertsResponses[keyof GetAlertsResponses];

export type TestAlertsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/broker/alerts/test';
};

export type TestAlertsErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The body is larger than 64 KiB.
     */
    413: RequestError;
    /**
     * The body is not application/json in UTF-8, or it is compressed.
     */
    415: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type TestAlertsError = TestAlertsErrors[keyof TestAlertsErrors];

export type TestAlertsResponses = {
    /**
     * The call was answered; success tells whether the operation succeeded.
     */
    200: TestAlertsAnswer;
};

export type TestAlertsResponse = TestAlertsResponses[keyof TestAlertsResponses];

export type FollowStreamData = {
    body?: never;
    headers?: {
        /**
         * The number of the last event that was read, to go on behind it; 0 for all there are. Without it the stream begins now.
         */
        'Last-Event-ID'?: number;
    };
    path?: never;
    query?: {
        /**
         * Whose ticks to send, separated by commas, at most 200; none unless given.
         */
        instruments?: string;
    };
    url: '/broker/stream';
};

export type FollowStreamErrors = {
    /**
     * No bearer token, or not a valid one.
     */
    401: RequestError;
    /**
     * The input breaks the contract, or has a member that no one knows; issues names each.
     */
    422: RequestError;
    /**
     * Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.
     */
    429: RequestError;
    /**
     * The address and the headers are larger than 16 KiB together.
     */
    431: RequestError;
    /**
     * Something broke inside the gateway; its log has the details.
     */
    500: RequestError;
    /**
     * The database does not answer, so no user can be looked up; nothing was done.
     */
    503: RequestError;
};

export type FollowStreamError = FollowStreamErrors[keyof FollowStreamErrors];

export type FollowStreamResponses = {
    /**
     * Messages as they come, until either side ends the stream: `id:` but on ticks and notices of the stream itself, `event:`, `data:`.
     */
    200: StreamMessage;
};

export type FollowStreamResponse = FollowStreamResponses[keyof FollowStreamResponses];
