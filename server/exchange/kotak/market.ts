import { tradingDay } from '../../clock.ts';
import { Big } from '../../money.ts';
import type { Exchange } from '../exchange.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { csv, json, type WireReply } from '../wire/message.ts';
import { places, pricePlaces } from '../wire/numbers.ts';
import { epochSeconds } from '../wire/times.ts';
import { countOf, exchangeOf, loginRefused, notOk, segmentOf, tradingSymbol } from './words.ts';

/** Quotes and instrument files: the access token opens them, without a login. */
export function marketRoutes(exchange: Exchange, accessToken: string): Route[] {
  function guarded(handle: (call: Call) => WireReply): (call: Call) => WireReply {
    return (call) => (call.request.headers.authorization === accessToken ? handle(call) : loginRefused(401, 'Unauthorized'));
  }

  function quotes({ params }: Call): WireReply {
    const named = (params.names ?? '').split(',').map((name) => {
      const [segment, token] = name.split('|');
      return exchange.instruments.find((each) => segmentOf[each.exchange] === segment && String(each.exchangeToken) === token);
    });
    const found = named.filter((each) => each !== undefined);
    const shown = filters[params.filter ?? 'all'];
    if (found.length < named.length || shown === undefined) return notOk(400, 1009, 'Invalid instrument/code');
    return json(
      200,
      found.map((each) => only(shown, quoteRow(each, exchange.quote(each), exchange.clock.now()))),
    );
  }

  function filePaths({ request }: Call): WireReply {
    const baseFolder = `${request.origin}/wso2-scripmaster/v1/prod`;
    const day = `${baseFolder}/${tradingDay(exchange.clock.now())}`;
    const files = [
      'transformed/cde_fo',
      'transformed/mcx_fo',
      'transformed/nse_fo',
      'transformed/bse_fo',
      'transformed-v1/bse_cm-v1',
      'transformed-v1/nse_cm-v1',
    ];
    return json(200, { data: { filesPaths: files.map((file) => `${day}/${file}.csv`), baseFolder } });
  }

  function file({ params }: Call): WireReply {
    const segment = (params.file ?? '').replace(/(-v1)?\.csv$/, '');
    const listed = exchange.instruments.filter((each) => segmentOf[each.exchange] === segment);
    if (!(segment in exchangeOf)) return notOk(404, 404, 'resource not found');
    return csv([csvHeader, ...listed.map(csvLine), ''].join('\n'));
  }

  const quotePath = '/script-details/1.0/quotes/neosymbol/:names';
  const open = { method: 'GET', operation: 'market', open: true } as const;
  return [
    { ...open, path: quotePath, handle: guarded(quotes) },
    { ...open, path: `${quotePath}/:filter`, handle: guarded(quotes) },
    { ...open, path: '/script-details/1.0/masterscrip/file-paths', handle: guarded(filePaths) },
    { ...open, path: '/wso2-scripmaster/v1/prod/:day/:folder/:file', handle: file },
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
      price: four(new Big(instrument.tick).times(level * sign).plus(price)),
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

/** Spaces and the semicolon are part of the broker's column names. */
const csvHeader =
  'pSymbol,pGroup,pExchSeg,pInstType,pSymbolName,pTrdSymbol,pOptionType,pScripRefKey,pISIN,pAssetCode,pSubGroup,pCombinedSymbol,pDesc,pAmcCode,' +
  'pContractId,dTickSize ,lLotSize,lExpiryDate ,lMultiplier ,lPrecision,dStrikePrice;,pExchange,pInstName,pExpiryDate,iBoardLotQty ,iMaxOrderSize ,' +
  'iLotSize,lFreezeQty,dGenNum,dGenDen';

/** The NSE's derivative files count seconds from 1980. */
const epochShift: Readonly<Record<string, number>> = { NFO: 315_511_200, CDS: 315_511_200 };

/** Tick and strike in paise; the lot of a commodity in units of weight or volume, that of a currency 1. */
function csvLine(instrument: Instrument): string {
  const { exchange, exchangeToken, kind, expiry, underlying, isin } = instrument;
  const paise = (value: string) => new Big(value).times(100).toFixed();
  const closes = expiry === null ? 0 : Date.parse(`${expiry}T14:30:00+05:30`) / 1000 - (epochShift[exchange] ?? 0);
  const group = kind === 'EQ' ? 'EQ' : '';
  const option = kind === 'EQ' ? '' : kind === 'FUT' ? 'XX' : kind;
  const symbol = tradingSymbol(instrument);
  const { lot, multiplier, quoted } = countOf(instrument);
  const type = kind === 'EQ' ? '' : kind === 'FUT' ? 'FUTSTK' : 'OPTIDX';
  const names = [
    exchangeToken,
    group,
    segmentOf[exchange],
    type,
    underlying,
    symbol,
    option,
    instrument.symbol,
    isin ?? '',
    '',
    '',
    symbol,
  ];
  const numbers = [paise(instrument.tick), lot, closes, multiplier, pricePlaces(instrument), paise(instrument.strike ?? '0')];
  return [...names, `"${instrument.name}"`, '', '', ...numbers, exchange, type, closes, lot, 100_000, lot, 100_000, 1, quoted].join(',');
}
