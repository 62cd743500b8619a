import { Big } from '../../money.ts';
import type { Exchange } from '../exchange.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { json, type WireReply } from '../wire/message.ts';
import { places } from '../wire/numbers.ts';
import { epochSeconds } from '../wire/times.ts';
import { masterRoutes } from './master.ts';
import { countOf, loginRefused, notOk, quotedAs, segmentOf, tradingSymbol } from './words.ts';

/** Quotes and instrument files: the access token opens them, without a login. */
export function marketRoutes(exchange: Exchange, accessToken: string): Route[] {
  function guarded(handle: (call: Call) => WireReply): (call: Call) => WireReply {
    return (call) => (call.request.headers.authorization === accessToken ? handle(call) : loginRefused(401, 'Unauthorized'));
  }

  function quotes({ params }: Call): WireReply {
    const named = (params.names ?? '').split(',').map((name) => {
      const [segment = '', token = ''] = name.split('|');
      return quotedAs(segment, token);
    });
    const found = named.filter((each) => each !== undefined);
    const shown = filters[params.filter ?? 'all'];
    if (found.length < named.length || shown === undefined) return notOk(400, 1009, 'Invalid instrument/code');
    return json(
      200,
      found.map((each) => only(shown, quoteRow(each, exchange.quote(each), exchange.clock.now()))),
    );
  }

  const quotePath = '/script-details/1.0/quotes/neosymbol/:names';
  const open = { method: 'GET', operation: 'market', open: true } as const;
  return [
    { ...open, path: quotePath, handle: guarded(quotes) },
    { ...open, path: `${quotePath}/:filter`, handle: guarded(quotes) },
    ...masterRoutes(exchange, guarded),
  ];
}

/** Members each filter leaves beside the identifying ones; an empty list leaves all. */
const filters: Readonly<Record<string, readonly string[]>> = {
  all: [],
  ltp: ['ltp'],
  ohlc: ['ohlc'],
  depth: ['depth'],
  oi: ['open_int'],
  '52W': ['year_high', 'year_low'],
  circuit_limits: ['low_price_range', 'high_price_range'],
  scrip_details: ['lstup_time'],
};

function only(names: readonly string[], row: ReturnType<typeof quoteRow>): unknown {
  const kept = ['exchange_token', 'display_symbol', 'exchange', ...names];
  return names.length === 0 ? row : Object.fromEntries(Object.entries(row).filter(([name]) => kept.includes(name)));
}

function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const four = places(4);
  const { lot } = countOf(instrument);
  const depth = (price: string, sign: number) =>
    Array.from({ length: 5 }, (_, level) => ({
      price: four(price === '0' ? price : new Big(instrument.tick).times(level * sign).plus(price)),
      quantity: String(lot * 100 * (level + 1)),
      orders: String(level + 1),
    }));
  return {
    exchange_token: String(instrument.exchangeToken),
    display_symbol: tradingSymbol(instrument),
    exchange: segmentOf[instrument.exchange],
    lstup_time: String(epochSeconds(now)),
    ltp: four(quote.last),
    last_traded_quantity: String(lot),
    total_buy: String(lot * 1_500),
    total_sell: String(lot * 1_500),
    last_volume: String(quote.volume),
    avg_cost: four(quote.last),
    open_int: '0',
    change: four(new Big(quote.last).minus(quote.close)),
    per_change: four(dayChange(quote).percent),
    low_price_range: four(instrument.lowerCircuit),
    high_price_range: four(instrument.upperCircuit),
    year_high: instrument.upperCircuit,
    year_low: instrument.lowerCircuit,
    ohlc: { open: four(quote.open), high: four(quote.high), low: four(quote.low), close: four(quote.close) },
    depth: { buy: depth(quote.bid, -1), sell: depth(quote.ask, 1) },
  };
}
