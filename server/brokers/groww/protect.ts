import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { Big } from '../../money.ts';
import { decimal, issueText, Refusal } from '../parse.ts';
import { commonTick, protectedLimit, stopWidth } from '../protected-limit.ts';
import type { Api } from './api.ts';
import { segmentOf } from './wire.ts';

/** A quote older than this does not price an order. */
const FRESH_MS = 5_000;

const price = decimal.nullish().catch(null);
const levels = z.array(z.looseObject({ price })).catch([]);
/** Rupees. What only helps to tell the tick need not be there. */
const quote = z.looseObject({
  last_price: decimal,
  upper_circuit_limit: decimal.nullish(),
  lower_circuit_limit: decimal.nullish(),
  ohlc: z.looseObject({ open: price, high: price, low: price }).nullish().catch(null),
  depth: z.looseObject({ buy: levels, sell: levels }).nullish().catch(null),
});

/** What an order is of. */
export interface Of {
  symbol: string;
  exchange: string;
  side: string;
}

/** The limit (rupees) that stands for the missing one of an SL-M order. Throws Refusal where Groww's quote does not tell enough. */
export async function stopLimit(clock: Clock, api: Api, { symbol, exchange, side }: Of, trigger: number): Promise<number> {
  const at = clock.now();
  const segment = segmentOf({ exchange });
  const venue = exchange.startsWith('B') ? 'BSE' : 'NSE';
  const answer = await api.get('/v1/live-data/quote', { exchange: venue, segment, trading_symbol: symbol });
  if (!answer.success) throw cannot(answer.message);
  const read = quote.safeParse(answer.data);
  if (!read.success) throw cannot(`quote: ${issueText(read.error)}`);
  if (clock.now() - at > FRESH_MS) throw cannot('the quote took longer than 5 s');
  const { last_price, ohlc, depth, upper_circuit_limit, lower_circuit_limit } = read.data;
  const [lower, upper] = [lower_circuit_limit || null, upper_circuit_limit || null];
  if ((lower !== null && trigger < lower) || (upper !== null && trigger > upper))
    throw new Refusal(`trigger_price: ${trigger} is outside the circuit limits ${lower} to ${upper}`);
  // Quotes do not name the tick: all prices in sight are multiples of it.
  const seen = [ohlc?.open, ohlc?.high, ohlc?.low, ...[...(depth?.buy ?? []), ...(depth?.sell ?? [])].map((level) => level.price)];
  const base = new Big(trigger);
  const width = stopWidth(base, segment === 'FNO' && /\d(CE|PE)$/.test(symbol));
  const tick = commonTick([base, last_price, lower, upper, ...seen]);
  const limit = protectedLimit({ buying: side === 'BUY', base, width, tick, lower, upper });
  if (!limit) throw cannot('its tick size or the room to the circuit limit does not allow one');
  return Number(limit.toFixed());
}

function cannot(why: string): Refusal {
  return new Refusal(
    `order_type: SL-M goes to Groww as SL with a protected limit, and none can be set (${why}); send SL with a limit price`,
  );
}
