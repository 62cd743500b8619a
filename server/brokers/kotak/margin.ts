import type { Broker } from '../broker.ts';
import { marginOf, ownPrice } from '../margin.ts';
import { failure } from '../parse.ts';
import type { Api } from './api.ts';
import { placeFields } from './order.ts';

/** Kotak's margin check: an order by token, all text. */
export function createMargin(api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const { es: exSeg = '', pc: prod = '', pt: prcTp = '', qt: qty = '', tt: trnsTp = '', tp: trgPrc = '0' } = placeFields(order, '');
      if (order.token === '') return failure('Kotak tells a margin by the token of an instrument, and none was given');
      const prc = ownPrice(order);
      const fields = { brkName: 'KOTAK', brnchId: 'ONLINE', exSeg, prc, prcTp, prod, qty, tok: order.token, trnsTp, trgPrc };
      const call = { method: 'POST', path: '/quick/user/check-margin', form: { jData: JSON.stringify(fields) } } as const;
      return marginOf(await api.ask(call), api.name, 'ordMrgn', 'avlMrgn');
    },
  };
}
