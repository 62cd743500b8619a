import type { Broker } from '../broker.ts';
import { marginOf } from '../margin.ts';
import type { Api } from './api.ts';
import { placeBody } from './order.ts';

/** Groww's calculator (https://groww.in/trade-api/docs/curl/margin); the segment stands in the address. */
export function createMargin(api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const { trading_symbol, transaction_type, quantity, price, order_type, product, exchange, segment } = placeBody(order, '');
      const asked = { trading_symbol, transaction_type, quantity, price: price ?? 0, order_type, product, exchange };
      const call = { method: 'POST', path: '/v1/margins/detail/orders', query: { segment }, json: [asked] } as const;
      return marginOf(await api.ask(call), api.name, 'total_requirement');
    },
  };
}
