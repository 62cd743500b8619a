import type { Broker } from '../broker.ts';
import { marginOf, ownPrice } from '../margin.ts';
import { failure } from '../parse.ts';
import type { Api } from './api.ts';
import { placeBody } from './order.ts';

/** Dhan's calculator (https://dhanhq.co/docs/v2/funds/), which wants a price of every order, MARKET too. */
export function createMargin(api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order, last) {
      const { fields } = placeBody(order, api.login().client, '');
      const { dhanClientId, exchangeSegment, transactionType, quantity, productType, securityId, triggerPrice } = fields;
      const price = Number(order.ordertype === 'MARKET' ? await last() : ownPrice(order));
      if (!(price > 0)) return failure('Dhan tells a margin at a price alone, and none is known now');
      const json = {
        ...{ dhanClientId, exchangeSegment, transactionType, quantity, productType, securityId, price },
        ...(triggerPrice !== undefined && { triggerPrice }),
      };
      return marginOf(await api.ask({ method: 'POST', path: '/margincalculator', json }), api.name, 'totalMargin', 'availableBalance');
    },
  };
}
