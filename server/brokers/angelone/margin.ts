import type { Broker, BrokerEnv } from '../broker.ts';
import { marginOf, ownPrice } from '../margin.ts';
import { type Api, ROOT } from './api.ts';
import { placeBody } from './order.ts';

/**
 * SmartAPI's calculator for a basket (https://smartapi.angelone.in/docs, Margin Calculator), which has words of its own, a price of 0 for MARKET and
 * no trigger. `totalMarginRequired` is what the basket needs; the documents do not say whether what is open counts, and the answer tells no free funds.
 */
export function createMargin(env: BrokerEnv, api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const body = placeBody(order, '', env.clock.now(), env);
      const position = {
        exchange: body.exchange,
        qty: Number(body.quantity),
        price: Number(ownPrice(order)),
        productType: body.producttype,
        token: body.symboltoken,
        tradeType: body.transactiontype,
        orderType: body.ordertype,
      };
      const call = { method: 'POST', path: `${ROOT}/margin/v1/batch`, json: { positions: [position] } } as const;
      return marginOf(await api.ask(call), api.name, 'totalMarginRequired');
    },
  };
}
