// Generated from openapi.json by @hey-api/openapi-ts. Do not edit.
// @ts-nocheck

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

/**
 * A bare list, when the broker's native client answers with one.
 */
export type BareTradeBook = Array<unknown>;

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
 * Events after a number.
 */
export type EventList = {
    success: true;
    /**
     * Oldest first.
     */
    events: Array<GatewayEvent>;
    /**
     * What to give as `after` to go on: the number of the last event, or `after` again.
     */
    next: number;
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
     * What the gateway is doing.
     */
    status: 'starting' | 'ready' | 'stopping';
    /**
     * off: an open position blocks no further entry.
     */
    position_guard: 'on' | 'off';
};

export type GetFundsAnswer = Funds | Failure;

export type GetHoldingsAnswer = HoldingList | Failure;

export type GetInstrumentAnswer = InstrumentFound | Failure;

export type GetOrderAnswer = OrderFound | Failure;

export type GetPositionsAnswer = PositionList | Failure;

export type GetProfileAnswer = Profile | Failure;

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

export type ListEventsAnswer = EventList | Failure;

export type ListOrdersAnswer = OrderList | Failure;

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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
         * true (in any letter case) asks whether this key was placed: a known key replays its answer, an unknown one places nothing. Any other value is refused.
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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

export type ListEventsData = {
    body?: never;
    path?: never;
    query?: {
        after?: number;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
     * Ten wrong tokens came from this address within a minute.
     */
    429: RequestError;
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
