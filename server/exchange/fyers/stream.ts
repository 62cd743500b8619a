import type { Exchange } from '../exchange.ts';
import type { Stream } from '../wire/stream.ts';
import { byKey } from '../wire/subscriptions.ts';
import { topicOf } from './hsm.ts';
import type { Logins } from './login.ts';
import { priceTalk } from './prices.ts';
import { orderTalk } from './updates.ts';
import { failure } from './words.ts';

/** FYERS' sockets: prices, which are signed in to by a frame, and orders, by the handshake. */
export function fyersStreams({ exchange, holdsKey, unauthorised }: Omit<Logins, 'routes'> & { exchange: Exchange }): Stream[] {
  const byTopic = byKey(exchange.instruments, topicOf);
  return [
    { path: '/hsm/v1-5/prod', admit: () => null, talk: (link) => priceTalk(link, { exchange, holdsKey, byTopic }) },
    {
      path: '/trade/v3',
      admit: (request, refused) => (refused || unauthorised(request) ? failure(403, -15, 'Please provide valid token') : null),
      talk: (link) => orderTalk(link, exchange),
    },
  ];
}
