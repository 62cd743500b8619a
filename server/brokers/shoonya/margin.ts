import type { Broker, BrokerEnv } from '../broker.ts';
import { marginOf } from '../margin.ts';
import type { Api } from './api.ts';
import { withLimit } from './calls.ts';
import { placeDraft } from './order.ts';

/**
 * Shoonya's calculator (https://shoonya.com/api-documentation, Order Margin), asked for the order as it goes out: MARKET and SL-M with their limit.
 * `ordermargin` is what the order needs. `marginused` is not: it counts what is open, and where money is short it is the amount that is short (recorded
 * 2026-09-30). Free are all credits less what is used without this order; with margin in use that was never seen.
 */
export function createMargin(env: BrokerEnv, api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const draft = placeDraft(order, '', undefined);
      const sent = await withLimit(env, api, draft, order.transactiontype === 'BUY', order.token);
      const { exch = '', tsym = '', qty = '', prc = '', prd = '', trantype = '', prctyp = '', trgprc } = sent;
      const asked = { exch, tsym, qty, prc, prd, trantype, prctyp, ...(trgprc !== undefined && { trgprc }) };
      return marginOf(await api.request('GetOrderMargin', asked), api.name, 'ordermargin', 'cash', '-marginusedprev');
    },
  };
}
