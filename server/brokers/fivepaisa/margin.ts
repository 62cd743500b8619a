import type { Broker, BrokerEnv } from '../broker.ts';
import { marginOf } from '../margin.ts';
import type { Api } from './api.ts';
import { placeBody } from './order.ts';
import { limitFor } from './protect.ts';

/**
 * 5paisa's calculator for several orders (https://xstream.5paisa.com/dev-docs, Multi order margin), asked for the order as it goes out: MARKET and SL-M
 * with their limit; it takes no trigger. Open positions are left out (`CoverPositions`): with them the documents do not say whether the figure is the
 * order's or that of all.
 */
export function createMargin(env: BrokerEnv, api: Api): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const { body, open } = placeBody(order, '', undefined);
      const { Exchange: Exch, ExchangeType: ExchType, ScripCode, OrderType, Qty, IsIntraday } = body;
      const Price = open ? await limitFor(api, env.clock.now, open) : body.Price;
      const asked = { Exch, ExchType, ScripCode, ScripData: '', PlaceModifyCancel: 'P', OrderType, Price, Qty, IsIntraday };
      const answer = await api.read('/MultiOrderMargin', { CoverPositions: 'N', Orders: [asked] });
      return marginOf(answer, api.name, 'TotalMarginRequired', 'AvailableMargin');
    },
  };
}
