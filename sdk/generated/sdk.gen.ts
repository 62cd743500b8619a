// Generated from openapi.json by @hey-api/openapi-ts. Do not edit.
// @ts-nocheck

import { client } from './client.gen.ts';
import type { Client, ClientMeta, Options as Options2, RequestResult, ServerSentEventsResult, TDataShape } from './client/index.ts';
import type { AddUserData, AddUserErrors, AddUserResponses, BeginLoginData, BeginLoginErrors, BeginLoginResponses, CancelOrderData, CancelOrderErrors, CancelOrderResponses, ConnectBrokerData, ConnectBrokerErrors, ConnectBrokerResponses, DisconnectBrokerData, DisconnectBrokerErrors, DisconnectBrokerResponses, ExitPositionsData, ExitPositionsErrors, ExitPositionsResponses, FinishLoginData, FinishLoginErrors, FinishLoginResponses, FollowStreamData, FollowStreamErrors, FollowStreamResponse, FollowStreamResponses, GetAlertsData, GetAlertsErrors, GetAlertsResponses, GetFundsData, GetFundsErrors, GetFundsResponses, GetHoldingsData, GetHoldingsErrors, GetHoldingsResponses, GetInstrumentData, GetInstrumentErrors, GetInstrumentResponses, GetKillSwitchData, GetKillSwitchErrors, GetKillSwitchResponses, GetLatenciesData, GetLatenciesErrors, GetLatenciesResponses, GetOrderData, GetOrderErrors, GetOrderMarginData, GetOrderMarginErrors, GetOrderMarginResponses, GetOrderResponses, GetOverviewData, GetOverviewErrors, GetOverviewResponses, GetPositionsData, GetPositionsErrors, GetPositionsResponses, GetPricesData, GetPricesErrors, GetPricesResponses, GetProfileData, GetProfileErrors, GetProfileResponses, GetProfitData, GetProfitErrors, GetProfitResponses, GetQuotesData, GetQuotesErrors, GetQuotesResponses, GetStatusData, GetStatusErrors, GetStatusResponses, GetSupportedBrokersData, GetSupportedBrokersErrors, GetSupportedBrokersResponses, GetTradebookData, GetTradebookErrors, GetTradebookResponses, ListEventsData, ListEventsErrors, ListEventsResponses, ListOrdersData, ListOrdersErrors, ListOrdersResponses, ListRecordedOrdersData, ListRecordedOrdersErrors, ListRecordedOrdersResponses, ListRecordedPositionsData, ListRecordedPositionsErrors, ListRecordedPositionsResponses, ListRecordedTradesData, ListRecordedTradesErrors, ListRecordedTradesResponses, ListUsersData, ListUsersErrors, ListUsersResponses, ModifyOrderData, ModifyOrderErrors, ModifyOrderResponses, PlaceOrderData, PlaceOrderErrors, PlaceOrderResponses, PlanExitsData, PlanExitsErrors, PlanExitsResponses, RevokeUserData, RevokeUserErrors, RevokeUserResponses, SearchInstrumentsData, SearchInstrumentsErrors, SearchInstrumentsResponses, SetKillSwitchData, SetKillSwitchErrors, SetKillSwitchResponses, TestAlertsData, TestAlertsErrors, TestAlertsResponses, TestBrokerData, TestBrokerErrors, TestBrokerResponses, TestSessionData, TestSessionErrors, TestSessionResponses } from './types.gen.ts';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};

/**
 * Read what the gateway is doing
 *
 * Name, mode, active broker and status. Needs no user.
 */
export const getStatus = <ThrowOnError extends boolean = false>(options?: Options<GetStatusData, ThrowOnError>): RequestResult<GetStatusResponses, GetStatusErrors, ThrowOnError> => (options?.client ?? client).get<GetStatusResponses, GetStatusErrors, ThrowOnError>({ url: '/', ...options });

/**
 * Connect a broker
 *
 * Signs in to the broker and makes it the one active session. When it fails the old session stays.
 */
export const connectBroker = <ThrowOnError extends boolean = false>(options: Options<ConnectBrokerData, ThrowOnError>): RequestResult<ConnectBrokerResponses, ConnectBrokerErrors, ThrowOnError> => (options.client ?? client).post<ConnectBrokerResponses, ConnectBrokerErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/connect',
    ...options
});

/**
 * Disconnect the active broker
 *
 * Forgets the session and keeps the day's stored token, so that connecting again needs no new login.
 */
export const disconnectBroker = <ThrowOnError extends boolean = false>(options?: Options<DisconnectBrokerData, ThrowOnError>): RequestResult<DisconnectBrokerResponses, DisconnectBrokerErrors, ThrowOnError> => (options?.client ?? client).post<DisconnectBrokerResponses, DisconnectBrokerErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/disconnect',
    ...options
});

/**
 * Begin a login on a broker's page
 *
 * Answers with the address of the broker's page, to be opened in a browser, and with a state that finish wants: it works once, for ten minutes, for the user who began it.
 */
export const beginLogin = <ThrowOnError extends boolean = false>(options: Options<BeginLoginData, ThrowOnError>): RequestResult<BeginLoginResponses, BeginLoginErrors, ThrowOnError> => (options.client ?? client).post<BeginLoginResponses, BeginLoginErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/login',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Finish a login on a broker's page
 *
 * Trades what the browser came back with for the day's login, keeps that encrypted, and connects the broker as POST /broker/connect does. Sent once: a state that was used, is late or is another user's is refused.
 */
export const finishLogin = <ThrowOnError extends boolean = false>(options: Options<FinishLoginData, ThrowOnError>): RequestResult<FinishLoginResponses, FinishLoginErrors, ThrowOnError> => (options.client ?? client).post<FinishLoginResponses, FinishLoginErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/login/finish',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get the account holder's profile
 *
 * The broker's profile answer.
 */
export const getProfile = <ThrowOnError extends boolean = false>(options?: Options<GetProfileData, ThrowOnError>): RequestResult<GetProfileResponses, GetProfileErrors, ThrowOnError> => (options?.client ?? client).get<GetProfileResponses, GetProfileErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/profile',
    ...options
});

/**
 * Get funds and margins
 *
 * The broker's funds answer, in rupees.
 */
export const getFunds = <ThrowOnError extends boolean = false>(options?: Options<GetFundsData, ThrowOnError>): RequestResult<GetFundsResponses, GetFundsErrors, ThrowOnError> => (options?.client ?? client).get<GetFundsResponses, GetFundsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/funds',
    ...options
});

/**
 * List holdings
 *
 * The broker's holdings, with the same rows in the gateway's words beside them.
 */
export const getHoldings = <ThrowOnError extends boolean = false>(options?: Options<GetHoldingsData, ThrowOnError>): RequestResult<GetHoldingsResponses, GetHoldingsErrors, ThrowOnError> => (options?.client ?? client).get<GetHoldingsResponses, GetHoldingsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/holdings',
    ...options
});

/**
 * List net positions
 *
 * The broker's net positions, with the same rows in the gateway's words beside them.
 */
export const getPositions = <ThrowOnError extends boolean = false>(options?: Options<GetPositionsData, ThrowOnError>): RequestResult<GetPositionsResponses, GetPositionsErrors, ThrowOnError> => (options?.client ?? client).get<GetPositionsResponses, GetPositionsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/positions',
    ...options
});

/**
 * List the day's orders
 *
 * The broker's own order list, with the same rows in the gateway's words beside it.
 */
export const listOrders = <ThrowOnError extends boolean = false>(options?: Options<ListOrdersData, ThrowOnError>): RequestResult<ListOrdersResponses, ListOrdersErrors, ThrowOnError> => (options?.client ?? client).get<ListOrdersResponses, ListOrdersErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/orders',
    ...options
});

/**
 * Get one order
 *
 * The order object of the broker's order list whose id equals the path.
 */
export const getOrder = <ThrowOnError extends boolean = false>(options: Options<GetOrderData, ThrowOnError>): RequestResult<GetOrderResponses, GetOrderErrors, ThrowOnError> => (options.client ?? client).get<GetOrderResponses, GetOrderErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/orders/{order_id}',
    ...options
});

/**
 * Place an order, once
 *
 * Sends the order to the broker at most once and answers with the real fill state. A repeat with the same idempotency_key (or, without one, the same order within 60 s) replays the stored answer byte for byte, with the header Idempotency-Replayed. An open position in the symbol blocks a further entry on the same side, and so does an order whose fate is not known yet. An order that only reduces its position always passes; a larger one on the opposite side flips the position, unless reduce_only is true.
 */
export const placeOrder = <ThrowOnError extends boolean = false>(options: Options<PlaceOrderData, ThrowOnError>): RequestResult<PlaceOrderResponses, PlaceOrderErrors, ThrowOnError> => (options.client ?? client).post<PlaceOrderResponses, PlaceOrderErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/orders/place',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Modify an open order
 *
 * Sends only the fields that are given. Sent once, never repeated; an unclear outcome is said in the message.
 */
export const modifyOrder = <ThrowOnError extends boolean = false>(options: Options<ModifyOrderData, ThrowOnError>): RequestResult<ModifyOrderResponses, ModifyOrderErrors, ThrowOnError> => (options.client ?? client).post<ModifyOrderResponses, ModifyOrderErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/orders/modify',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Cancel an open order
 *
 * Sent once, never repeated; an unclear outcome is said in the message. The variety is accepted and not forwarded.
 */
export const cancelOrder = <ThrowOnError extends boolean = false>(options: Options<CancelOrderData, ThrowOnError>): RequestResult<CancelOrderResponses, CancelOrderErrors, ThrowOnError> => (options.client ?? client).post<CancelOrderResponses, CancelOrderErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/orders/cancel',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get the margin an order needs
 *
 * The broker's own figure, from its calculator; where it tells none, success is false. Nothing is placed or kept. Open positions count as far as the broker counts them. At aliceblue, fivepaisa and shoonya MARKET and SL-M are asked with the limit price that they go out with.
 */
export const getOrderMargin = <ThrowOnError extends boolean = false>(options: Options<GetOrderMarginData, ThrowOnError>): RequestResult<GetOrderMarginResponses, GetOrderMarginErrors, ThrowOnError> => (options.client ?? client).post<GetOrderMarginResponses, GetOrderMarginErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/margin',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Tell what an exit would do
 *
 * Every open position with the order that would close it and the resting orders that would be cancelled first. Nothing is sent.
 */
export const planExits = <ThrowOnError extends boolean = false>(options?: Options<PlanExitsData, ThrowOnError>): RequestResult<PlanExitsResponses, PlanExitsErrors, ThrowOnError> => (options?.client ?? client).get<PlanExitsResponses, PlanExitsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/exits',
    ...options
});

/**
 * Exit positions
 *
 * Of each position: cancels the resting orders of the exit side, waits until they are known to be gone, then sends a reduce_only MARKET order of what is left, in pieces where the exchange takes no order so large. Never opens or flips a position; the kill switch lets it out. One that fails stops no other. A repeat with the same idempotency_key replays the report and sends nothing twice. Answers within 45 s.
 */
export const exitPositions = <ThrowOnError extends boolean = false>(options: Options<ExitPositionsData, ThrowOnError>): RequestResult<ExitPositionsResponses, ExitPositionsErrors, ThrowOnError> => (options.client ?? client).post<ExitPositionsResponses, ExitPositionsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/exits',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * List the supported brokers
 *
 * Needs no user.
 */
export const getSupportedBrokers = <ThrowOnError extends boolean = false>(options?: Options<GetSupportedBrokersData, ThrowOnError>): RequestResult<GetSupportedBrokersResponses, GetSupportedBrokersErrors, ThrowOnError> => (options?.client ?? client).get<GetSupportedBrokersResponses, GetSupportedBrokersErrors, ThrowOnError>({ url: '/broker/supported', ...options });

/**
 * Test a broker by name
 *
 * Connects a broker instance of its own, beside the active session, and reads profile, funds, holdings, positions and orders.
 */
export const testBroker = <ThrowOnError extends boolean = false>(options: Options<TestBrokerData, ThrowOnError>): RequestResult<TestBrokerResponses, TestBrokerErrors, ThrowOnError> => (options.client ?? client).post<TestBrokerResponses, TestBrokerErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/test/{broker_name}',
    ...options
});

/**
 * Test the active session
 *
 * Reads profile, funds, holdings, positions and orders of the active session.
 */
export const testSession = <ThrowOnError extends boolean = false>(options?: Options<TestSessionData, ThrowOnError>): RequestResult<TestSessionResponses, TestSessionErrors, ThrowOnError> => (options?.client ?? client).post<TestSessionResponses, TestSessionErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/test',
    ...options
});

/**
 * List the day's executions
 *
 * The trade book of the active broker.
 */
export const getTradebook = <ThrowOnError extends boolean = false>(options?: Options<GetTradebookData, ThrowOnError>): RequestResult<GetTradebookResponses, GetTradebookErrors, ThrowOnError> => (options?.client ?? client).get<GetTradebookResponses, GetTradebookErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/tradebook',
    ...options
});

/**
 * Get quotes
 *
 * Of up to 50 instruments: from the live feed where it is fresh, else from one read of the broker, within its limits. age_ms tells how old each is.
 */
export const getQuotes = <ThrowOnError extends boolean = false>(options: Options<GetQuotesData, ThrowOnError>): RequestResult<GetQuotesResponses, GetQuotesErrors, ThrowOnError> => (options.client ?? client).get<GetQuotesResponses, GetQuotesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/quotes',
    ...options
});

/**
 * Read the kill switch
 *
 * Whether it is on, since when, and who turned it.
 */
export const getKillSwitch = <ThrowOnError extends boolean = false>(options?: Options<GetKillSwitchData, ThrowOnError>): RequestResult<GetKillSwitchResponses, GetKillSwitchErrors, ThrowOnError> => (options?.client ?? client).get<GetKillSwitchResponses, GetKillSwitchErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/kill-switch',
    ...options
});

/**
 * Turn the kill switch on or off
 *
 * While it is on, only cancels, orders that only reduce their position and changes that make no entry larger or more aggressive leave. It holds as soon as the request is read, and is remembered over restarts. success false: it holds, but is not stored yet; a restart before it is would forget it. Storing is tried again by itself.
 */
export const setKillSwitch = <ThrowOnError extends boolean = false>(options: Options<SetKillSwitchData, ThrowOnError>): RequestResult<SetKillSwitchResponses, SetKillSwitchErrors, ThrowOnError> => (options.client ?? client).post<SetKillSwitchResponses, SetKillSwitchErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/kill-switch',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Search instruments
 *
 * What the active broker lists, from its own instrument file of the day, under the gateway's one name. Paged.
 */
export const searchInstruments = <ThrowOnError extends boolean = false>(options?: Options<SearchInstrumentsData, ThrowOnError>): RequestResult<SearchInstrumentsResponses, SearchInstrumentsErrors, ThrowOnError> => (options?.client ?? client).get<SearchInstrumentsResponses, SearchInstrumentsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/instruments',
    ...options
});

/**
 * Get one instrument
 *
 * By its one name or by the broker's own symbol.
 */
export const getInstrument = <ThrowOnError extends boolean = false>(options: Options<GetInstrumentData, ThrowOnError>): RequestResult<GetInstrumentResponses, GetInstrumentErrors, ThrowOnError> => (options.client ?? client).get<GetInstrumentResponses, GetInstrumentErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/instruments/{exchange}/{symbol}',
    ...options
});

/**
 * See how the gateway stands
 *
 * Mode, session, feed, clock, database, kill switch and market hours. Never asks the broker, and answers within 300 ms.
 */
export const getOverview = <ThrowOnError extends boolean = false>(options?: Options<GetOverviewData, ThrowOnError>): RequestResult<GetOverviewResponses, GetOverviewErrors, ThrowOnError> => (options?.client ?? client).get<GetOverviewResponses, GetOverviewErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/overview',
    ...options
});

/**
 * List the positions of our records
 *
 * What is open now, and what was closed on the day, with profits. A profit that cannot be computed is null, and `unknown` says why. Of a past day: what was closed on it. Answers without asking the broker.
 */
export const listRecordedPositions = <ThrowOnError extends boolean = false>(options?: Options<ListRecordedPositionsData, ThrowOnError>): RequestResult<ListRecordedPositionsResponses, ListRecordedPositionsErrors, ThrowOnError> => (options?.client ?? client).get<ListRecordedPositionsResponses, ListRecordedPositionsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/records/positions',
    ...options
});

/**
 * List the day's orders of our records
 *
 * Ours and those placed elsewhere, unresolved ones first, then the newest, each with its steps; also what was refused before it was sent. Answers without asking the broker.
 */
export const listRecordedOrders = <ThrowOnError extends boolean = false>(options?: Options<ListRecordedOrdersData, ThrowOnError>): RequestResult<ListRecordedOrdersResponses, ListRecordedOrdersErrors, ThrowOnError> => (options?.client ?? client).get<ListRecordedOrdersResponses, ListRecordedOrdersErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/records/orders',
    ...options
});

/**
 * List the day's executions of our records
 *
 * The rows of trade_history of the day, newest first. Answers without asking the broker.
 */
export const listRecordedTrades = <ThrowOnError extends boolean = false>(options?: Options<ListRecordedTradesData, ThrowOnError>): RequestResult<ListRecordedTradesResponses, ListRecordedTradesErrors, ThrowOnError> => (options?.client ?? client).get<ListRecordedTradesResponses, ListRecordedTradesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/records/trades',
    ...options
});

/**
 * List the users
 *
 * Names, when their tokens were made, and whether they are valid.
 */
export const listUsers = <ThrowOnError extends boolean = false>(options?: Options<ListUsersData, ThrowOnError>): RequestResult<ListUsersResponses, ListUsersErrors, ThrowOnError> => (options?.client ?? client).get<ListUsersResponses, ListUsersErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/users',
    ...options
});

/**
 * Make a user
 *
 * Answers with its API token, which is shown once. A revoked user gets a new token.
 */
export const addUser = <ThrowOnError extends boolean = false>(options: Options<AddUserData, ThrowOnError>): RequestResult<AddUserResponses, AddUserErrors, ThrowOnError> => (options.client ?? client).post<AddUserResponses, AddUserErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/users',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Revoke a user's token
 *
 * From then on it is refused; streams that were opened with it end within 3 s. The last valid user cannot be revoked.
 */
export const revokeUser = <ThrowOnError extends boolean = false>(options: Options<RevokeUserData, ThrowOnError>): RequestResult<RevokeUserResponses, RevokeUserErrors, ThrowOnError> => (options.client ?? client).post<RevokeUserResponses, RevokeUserErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/users/revoke',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * See what the day earned
 *
 * Realised and unrealised profit of the day, by instrument and by strategy, and how it went. A carried position counts from yesterday's close. Where a price is not known the totals are null, and `unknown` says which. Answers without asking the broker.
 */
export const getProfit = <ThrowOnError extends boolean = false>(options?: Options<GetProfitData, ThrowOnError>): RequestResult<GetProfitResponses, GetProfitErrors, ThrowOnError> => (options?.client ?? client).get<GetProfitResponses, GetProfitErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/profit',
    ...options
});

/**
 * See how one price went
 *
 * Of what the live feed follows: what is held and open, and what a stream asks for. Give `instrument`, or `exchange` and `symbol`.
 */
export const getPrices = <ThrowOnError extends boolean = false>(options?: Options<GetPricesData, ThrowOnError>): RequestResult<GetPricesResponses, GetPricesErrors, ThrowOnError> => (options?.client ?? client).get<GetPricesResponses, GetPricesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/prices',
    ...options
});

/**
 * See how long the day's orders took
 *
 * From the request to the send, to the broker's answer, to the end. Answers without asking the broker.
 */
export const getLatencies = <ThrowOnError extends boolean = false>(options?: Options<GetLatenciesData, ThrowOnError>): RequestResult<GetLatenciesResponses, GetLatenciesErrors, ThrowOnError> => (options?.client ?? client).get<GetLatenciesResponses, GetLatenciesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/latencies',
    ...options
});

/**
 * List events
 *
 * The order, position, session and notice events of the stream, paged: none is left out, none comes twice. With `before`, or a filter and no `after`, the newest come first. A page looks through 100,000 numbers at most: it may be short, or empty, and still not be the last.
 */
export const listEvents = <ThrowOnError extends boolean = false>(options?: Options<ListEventsData, ThrowOnError>): RequestResult<ListEventsResponses, ListEventsErrors, ThrowOnError> => (options?.client ?? client).get<ListEventsResponses, ListEventsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/events',
    ...options
});

/**
 * Read where alerts go
 *
 * The channels that are set up, what waits on them, and what was told and is not over. Never an address or a secret.
 */
export const getAlerts = <ThrowOnError extends boolean = false>(options?: Options<GetAlertsData, ThrowOnError>): RequestResult<GetAlertsResponses, GetAlertsErrors, ThrowOnError> => (options?.client ?? client).get<GetAlertsResponses, GetAlertsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/alerts',
    ...options
});

/**
 * Send a test alert
 *
 * Sends one alert of kind `test` on every channel at once, waits at most 10 s for each, and says what became of it. It is not repeated.
 */
export const testAlerts = <ThrowOnError extends boolean = false>(options?: Options<TestAlertsData, ThrowOnError>): RequestResult<TestAlertsResponses, TestAlertsErrors, ThrowOnError> => (options?.client ?? client).post<TestAlertsResponses, TestAlertsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/alerts/test',
    ...options
});

/**
 * Follow orders, positions, the session and prices
 *
 * Server-Sent Events. `order`, `position`, `session` and `notice` are numbered by `id:` and none is lost: whoever comes back with Last-Event-ID goes on behind it; without it the stream begins now. `tick` carries the newest quote of each of `instruments`, at most four a second, and no number. A comment line comes every 15 s. A reader that falls 10,000 events behind is told so by a `notice` without a number, and cut.
 */
export const followStream = <ThrowOnError extends boolean = false>(options?: Options<FollowStreamData, ThrowOnError, FollowStreamResponse>): Promise<ServerSentEventsResult<FollowStreamResponses>> => (options?.client ?? client).sse.get<FollowStreamResponses, FollowStreamErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/stream',
    ...options
});
