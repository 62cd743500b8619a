import type { Exchange } from '../exchange.ts';
import type { Route, Switches } from '../wire/emulator.ts';
import { bare, bearerOf, json, readJson } from '../wire/message.ts';
import type { Stream } from '../wire/stream.ts';
import { priceSocket } from './prices.ts';
import { orderSocket } from './updates.ts';
import { clientId, failure, PREFIX, success } from './words.ts';

/** Alice Blue's two sockets, JSON of texts, and the calls that open them. */
export function createSockets(exchange: Exchange, switches: Switches): { streams: Stream[]; routes: Route[] } {
  const prices = priceSocket(exchange);
  const orders = orderSocket(exchange);

  function session(change: (token: string) => void): Route['handle'] {
    return ({ request }) => {
      const body = readJson(request.body);
      const user = typeof body === 'object' && body !== null && 'userId' in body ? body.userId : '';
      if (user !== clientId) return failure('EC003', 'An error occurred');
      change(bearerOf(request));
      return json(200, { status: 'Ok', message: 'Success', infoMessage: null, result: [{ Status: 'OK' }] });
    };
  }

  const market = { operation: 'market' } as const;
  return {
    streams: [...prices.streams, ...orders.streams],
    routes: [
      { ...market, method: 'POST', path: `${PREFIX}/profile/createWsSess`, handle: session(prices.createSession) },
      { ...market, method: 'POST', path: `${PREFIX}/profile/invalidateWsSess`, handle: session(prices.invalidateSession) },
      {
        ...market,
        method: 'GET',
        path: '/open-api/order-notify/ws/createWsToken',
        // An account without order updates gets an answer without a body.
        handle: () => (switches.noOrderFeed ? bare(200) : success({ orderToken: orders.orderToken() })),
      },
    ],
  };
}
