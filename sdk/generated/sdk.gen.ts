// Generated from openapi.json by @hey-api/openapi-ts. Do not edit.
// @ts-nocheck

import { client } from './client.gen.ts';
import type { Client, ClientMeta, Options as Options2, RequestResult, ServerSentEventsResult, TDataShape } from './client/index.ts';
import type { CancelOrderData, CancelOrderErrors, CancelOrderResponses, ConnectBrokerData, ConnectBrokerErrors, ConnectBrokerResponses, DisconnectBrokerData, DisconnectBrokerErrors, DisconnectBrokerResponses, FollowStreamData, FollowStreamErrors, FollowStreamResponse, FollowStreamResponses, GetFundsData, GetFundsErrors, GetFundsResponses, GetHoldingsData, GetHoldingsErrors, GetHoldingsResponses, GetInstrumentData, GetInstrumentErrors, GetInstrumentResponses, GetKillSwitchData, GetKillSwitchErrors, GetKillSwitchResponses, GetOrderData, GetOrderErrors, GetOrderResponses, GetPositionsData, GetPositionsErrors, GetPositionsResponses, GetProfileData, GetProfileErrors, GetProfileResponses, GetQuotesData, GetQuotesErrors, GetQuotesResponses, GetStatusData, GetStatusErrors, GetStatusResponses, GetSupportedBrokersData, GetSupportedBrokersErrors, GetSupportedBrokersResponses, GetTradebookData, GetTradebookErrors, GetTradebookResponses, ListEventsData, ListEventsErrors, ListEventsResponses, ListOrdersData, ListOrdersErrors, ListOrdersResponses, ModifyOrderData, ModifyOrderErrors, ModifyOrderResponses, PlaceOrderData, PlaceOrderErrors, PlaceOrderResponses, SearchInstrumentsData, SearchInstrumentsErrors, SearchInstrumentsResponses, SetKillSwitchData, SetKillSwitchErrors, SetKillSwitchResponses, TestBrokerData, TestBrokerErrors, TestBrokerResponses, TestSessionData, TestSessionErrors, TestSessionResponses } from './types.gen.ts';

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
 * List events
 *
 * The order, position, session and notice events of the stream, paged: none is left out, none comes twice.
 */
export const listEvents = <ThrowOnError extends boolean = false>(options?: Options<ListEventsData, ThrowOnError>): RequestResult<ListEventsResponses, ListEventsErrors, ThrowOnError> => (options?.client ?? client).get<ListEventsResponses, ListEventsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/broker/events',
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
