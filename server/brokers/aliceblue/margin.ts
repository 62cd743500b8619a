import { z } from 'zod';
import type { Broker, BrokerEnv } from '../broker.ts';
import { marginOf } from '../margin.ts';
import { failure, note } from '../parse.ts';
import type { Api } from './api.ts';
import { placeItem } from './order.ts';
import type { Quotes } from './quote.ts';
import { isOk, textOf } from './wire.ts';

/** A part of the result may be a refusal under an envelope that says Ok. */
const part = z.looseObject({ status: note });
const nothing = { status: 'Ok', message: null, emsg: null };

/**
 * Alice Blue's calculator (https://v2api.aliceblueonline.com, Order Margin), asked for the order as it goes out: MARKET and SL-M with their limit.
 * `currentOrderMargin` is what the order needs, `postOrderMargin` with what is used before it. Whether `totalCashAvailable` counts what is used is not
 * documented, and the sample does not add up: what is free is not told here.
 */
export function createMargin(env: BrokerEnv, api: Api, quotes: Quotes): Required<Pick<Broker, 'orderMargin'>> {
  return {
    async orderMargin(order) {
      const body = await placeItem(order, '', env, (exchange, token) => quotes.quote(exchange, token));
      const { exchange, instrumentId, transactionType, quantity, product, orderComplexity, orderType, validity } = body;
      const asked = { exchange, instrumentId, transactionType, quantity, product, orderComplexity, orderType, validity };
      const prices = { price: Number(body.price), slTriggerPrice: body.slTriggerPrice };
      const answer = await api.question('/orders/checkMargin', { ...asked, ...prices });
      const said = answer.success ? part.safeParse(answer.data[0]).data?.status : null;
      if (answer.success && said && !isOk(said)) return failure(textOf({ ...nothing, result: answer.data }));
      return marginOf(answer, api.name, '0.currentOrderMargin');
    },
  };
}
