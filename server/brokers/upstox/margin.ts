import type { Broker, BrokerEnv } from '../broker.ts';
import { marginOf, ownPrice } from '../margin.ts';
import type { Api } from './api.ts';
import { placeBody } from './order.ts';

/**
 * Upstox's calculator (https://upstox.com/developer/api-documentation/margin), which has no order type: without a price it goes by the last one.
 * `required_margin` is what the order needs to be executed; `final_margin` is less where orders of one basket hedge each other, and this is one order.
 * Whether it counts what is open is not documented, and it tells no free funds.
 */
export function createMargin(env: BrokerEnv, api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const { instrument_token, quantity, product, transaction_type } = placeBody(order, '', env.clock.now(), env);
      const price = Number(ownPrice(order));
      const asked = { instrument_key: instrument_token, quantity, product, transaction_type, ...(price > 0 && { price }) };
      const call = { method: 'POST', path: '/v2/charges/margin', json: { instruments: [asked] } } as const;
      return marginOf(await api.ask(call), api.name, 'required_margin');
    },
  };
}
