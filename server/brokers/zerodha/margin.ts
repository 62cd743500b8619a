import type { Broker } from '../broker.ts';
import { marginOf } from '../margin.ts';
import type { Api } from './api.ts';
import { placeForm } from './order.ts';

/** Kite's calculator (https://kite.trade/docs/connect/v3/margins/): JSON where orders are forms, and a price of its own for MARKET. */
export function createMargin(api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const { variety, form } = placeForm(order, '', { algoId: undefined, marketProtection: undefined });
      const { exchange, tradingsymbol, transaction_type, order_type, product } = form;
      const asked = {
        ...{ exchange, tradingsymbol, transaction_type, variety, product, order_type },
        quantity: Number(form.quantity),
        price: Number(form.price ?? 0),
        trigger_price: Number(form.trigger_price ?? 0),
      };
      return marginOf(await api.ask({ method: 'POST', path: '/margins/orders', json: [asked] }), api.name, '0.total');
    },
  };
}
