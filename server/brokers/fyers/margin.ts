import type { Broker } from '../broker.ts';
import { marginOf, ownPrice } from '../margin.ts';
import type { Api } from './api.ts';
import { placeBody } from './order.ts';

/** FYERS' calculator for a basket. `margin_total` is what the basket needs; `margin_new_order` was seen to count what is open already, too. */
export function createMargin(api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const { symbol, qty, side, type, productType, stopPrice } = placeBody(order, '');
      const limitPrice = Number(ownPrice(order));
      const json = { data: [{ symbol, qty, side, type, productType, limitPrice, stopPrice, stopLoss: 0, takeProfit: 0 }] };
      const path = '/api/v3/multiorder/margin';
      return marginOf(await api.ask({ method: 'POST', path, json }), api.name, 'data.margin_total', 'data.margin_avail');
    },
  };
}
