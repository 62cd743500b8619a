import type { Exchange } from '../exchange.ts';
import type { Stream } from '../wire/stream.ts';
import { priceTalks } from './prices.ts';
import { orderTalk } from './updates.ts';

/** Dhan's two sockets under one address; at Dhan each has a host of its own. */
export function feedStream(exchange: Exchange, lives: (token: string) => boolean): Stream {
  const priceTalk = priceTalks(exchange, lives);
  return {
    path: '/',
    admit: () => null,
    talk: (link) => (link.request.query.has('token') ? priceTalk(link) : orderTalk(link, lives)),
  };
}
