import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import { instruments } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { productWord, userId } from './words.ts';

/** FYERS v3 rows: field names, types, codes and times (IST) as the broker sends them. Prices in rupees, as JSON numbers. */

const places = {
  NSE: { prefix: 'NSE', exchange: 10, segment: 10 },
  BSE: { prefix: 'BSE', exchange: 12, segment: 10 },
  NFO: { prefix: 'NSE', exchange: 10, segment: 11 },
  MCX: { prefix: 'MCX', exchange: 11, segment: 20 },
  CDS: { prefix: 'NSE', exchange: 10, segment: 12 },
} as const satisfies Record<Instrument['exchange'], { prefix: string; exchange: number; segment: number }>;

const statusCode: Readonly<Record<OrderState, number>> = {
  RECEIVED: 4,
  VALIDATION: 4,
  OPEN_PENDING: 4,
  AMO_RECEIVED: 6,
  OPEN: 6,
  TRIGGER_PENDING: 6,
  MODIFY_VALIDATION: 6,
  MODIFY_PENDING: 6,
  MODIFIED: 6,
  CANCEL_PENDING: 6,
  FILLED: 2,
  REJECTED: 5,
  CANCELLED: 1,
  EXPIRED: 7,
};
const typeCode = { LIMIT: 1, MARKET: 2, 'SL-M': 3, SL: 4 } as const;

/** The symbol: exchange, name, and the series of a share. */
export function symbolOf({ exchange, symbol, kind }: Pick<Instrument, 'exchange' | 'symbol' | 'kind'>): string {
  const series = kind !== 'EQ' ? '' : exchange === 'BSE' ? '-A' : '-EQ';
  return `${places[exchange].prefix}:${symbol}${series}`;
}

/** Exchange and segment, expiry (zeros for shares) and the exchange's own token. */
export function fyToken({ exchange, expiry, exchangeToken }: Pick<Instrument, 'exchange' | 'expiry' | 'exchangeToken'>): string {
  const place = places[exchange];
  return `${place.exchange}${place.segment}${expiry?.slice(2).replaceAll('-', '') ?? '000000'}${exchangeToken}`;
}

const bySymbol = new Map(instruments.map((instrument) => [symbolOf(instrument), instrument]));

export function instrumentOf(symbol: string): Instrument | undefined {
  return bySymbol.get(symbol);
}

function identity(instrument: Instrument) {
  const { exchange, segment } = places[instrument.exchange];
  return { symbol: symbolOf(instrument), fyToken: fyToken(instrument), exchange, segment };
}

/** `20-Nov-2026 09:42:33`, IST. */
function timeText(at: number): string {
  const [date = '', clock] = istText(at).split(' ');
  const [year, month, day] = date.split('-');
  return `${day}-${['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][Number(month) - 1]}-${year} ${clock}`;
}

const number = (value: Big | string) => Number(new Big(value).round(4).toFixed());

function tagText(tag: string | null, none: string): string {
  return tag === null ? none : `1:${tag}`;
}

export const profile = {
  fy_id: userId,
  name: 'P******* A******',
  display_name: 'Practice',
  image: '',
  email_id: 'p***@example.com',
  PAN: 'P*****0A',
  mobile_number: '99xx',
  pin_change_date: '01-01-2026 09:00:00',
  pwd_change_date: '01-01-2026 09:00:00',
  pwd_to_expire: 90,
  totp: true,
  ddpi_enabled: false,
  mtf_enabled: false,
};

/** One pool of money serves all segments; the commodity column is shown empty. */
export function fundLimit(funds: Funds) {
  const total = new Big(funds.opening).plus(funds.realised);
  const amounts: [string, Big | string][] = [
    ['Total Balance', total],
    ['Utilized Amount', funds.used],
    ['Clear Balance', funds.available],
    ['Realized Profit and Loss', funds.realised],
    ['Collaterals', '0'],
    ['Fund Transfer', '0'],
    ['Receivables', '0'],
    ['Adhoc Limit', '0'],
    ['Limit at start of the day', funds.opening],
    ['Available Balance', funds.available],
  ];
  return amounts.map(([title, amount], index) => ({ id: index + 1, title, equityAmount: number(amount), commodityAmount: 0 }));
}

export function orderRow(order: ExchangeOrder, instrument: Instrument, quote: Quote, slNo: number, message: string) {
  const status = statusCode[order.state];
  const change = new Big(quote.last).minus(quote.close);
  const disclosed = Number(order.details.disclosedQty ?? 0);
  return {
    clientId: userId,
    id: order.orderId,
    id_fyers: order.details.idFyers ?? '',
    exchOrdId: order.exchangeOrderId,
    qty: order.quantity,
    remainingQuantity: order.state === 'REJECTED' ? 0 : remaining(order),
    filledQty: order.filled,
    discloseQty: disclosed,
    disclosedQty: disclosed,
    dqQtyRem: 0,
    limitPrice: Number(order.price),
    stopPrice: Number(order.triggerPrice),
    tradedPrice: Number(averageOf(order)),
    type: typeCode[order.orderType],
    ...identity(instrument),
    instrument: instrument.kind === 'EQ' ? 0 : instrument.kind === 'FUT' ? 11 : 14,
    message: order.state === 'FILLED' ? 'Completed' : message,
    offlineOrder: order.variety === 'AMO',
    orderDateTime: timeText(order.receivedAt),
    orderValidity: order.validity,
    pan: '',
    productType: productWord[order.product],
    side: order.side === 'BUY' ? 1 : -1,
    status,
    source: order.byHand ? 'W' : 'ITS',
    ex_sym: instrument.underlying,
    description: instrument.name,
    ch: number(change),
    chp: number(change.div(quote.close).times(100)),
    lp: Number(quote.last),
    slNo,
    orderNumStatus: `${order.orderId}:${status}`,
    orderTag: tagText(order.tag, '2:Untagged'),
    takeProfit: 0,
    stopLoss: 0,
  };
}

export function tradeRow(trade: Trade, order: ExchangeOrder | undefined, instrument: Instrument) {
  return {
    clientId: userId,
    orderDateTime: timeText(trade.at),
    orderNumber: trade.orderId,
    exchangeOrderNo: order?.exchangeOrderId ?? '',
    side: trade.side === 'BUY' ? 1 : -1,
    orderType: typeCode[order?.orderType ?? 'LIMIT'],
    ...identity(instrument),
    productType: productWord[trade.product],
    tradedQty: trade.quantity,
    tradePrice: Number(trade.price),
    tradeValue: number(new Big(trade.price).times(trade.quantity)),
    tradeNumber: trade.tradeId,
    row: Number(trade.tradeId),
    orderTag: tagText(order?.tag ?? null, '1:Untagged'),
  };
}

export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote, id: number) {
  return {
    holdingType: 'HLD',
    quantity: holding.quantity,
    costPrice: Number(holding.averagePrice),
    marketVal: number(new Big(quote.last).times(holding.quantity)),
    remainingQuantity: holding.quantity - holding.used,
    pl: number(new Big(quote.last).minus(holding.averagePrice).times(holding.quantity)),
    ltp: Number(quote.last),
    id,
    ...identity(instrument),
    isin: instrument.isin,
    qty_t1: 0,
    remainingPledgeQuantity: -1,
    collateralQuantity: 0,
  };
}

export function positionRow(position: Position, instrument: Instrument, quote: Quote, slNo: number) {
  const { net, overnight, multiplier } = position;
  const side = Math.sign(net);
  const average = (value: string, quantity: number) => (quantity === 0 ? 0 : number(new Big(value).div(quantity)));
  const unrealised = new Big(quote.last).times(net).minus(new Big(position.openValue).times(side)).times(multiplier);
  const flow = new Big(position.buyValue).minus(position.sellValue);
  const symbol = symbolOf(instrument);
  return {
    ...identity(instrument),
    id: `${symbol}-${productWord[position.product]}`,
    netQty: net,
    qty: Math.abs(net),
    avgPrice: average(position.openValue, Math.abs(net)),
    netAvg: net === 0 ? 0 : number(flow.div(net)),
    side,
    productType: productWord[position.product],
    realized_profit: number(position.realised),
    unrealized_profit: number(unrealised),
    pl: number(unrealised.plus(position.realised)),
    ltp: Number(quote.last),
    buyQty: position.buyQuantity,
    buyAvg: average(position.buyValue, position.buyQuantity),
    buyVal: number(position.buyValue),
    sellQty: position.sellQuantity,
    sellAvg: average(position.sellValue, position.sellQuantity),
    sellVal: number(position.sellValue),
    slNo,
    crossCurrency: 'N',
    rbiRefRate: 1,
    qtyMulti_com: multiplier,
    cfBuyQty: Math.max(0, overnight),
    cfSellQty: Math.max(0, -overnight),
    dayBuyQty: position.dayBuyQuantity,
    daySellQty: position.daySellQuantity,
  };
}

export function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const change = new Big(quote.last).minus(quote.close);
  const symbol = symbolOf(instrument);
  const prices = { lp: quote.last, ask: quote.ask, bid: quote.bid, open_price: quote.open, high_price: quote.high, low_price: quote.low };
  const v = {
    ch: number(change),
    chp: number(change.div(quote.close).times(100)),
    spread: number(new Big(quote.ask).minus(quote.bid)),
    ...Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, Number(price)])),
    prev_close_price: Number(quote.close),
    atp: Number(quote.last),
    volume: quote.volume,
    short_name: symbol.slice(4),
    exchange: symbol.slice(0, 3),
    description: symbol,
    original_name: symbol,
    symbol,
    fyToken: fyToken(instrument),
    tt: String(Math.floor(now / 1000)),
  };
  return { n: symbol, s: 'ok', v };
}

export function depthRow(instrument: Instrument, quote: Quote, now: number) {
  const { tick } = instrument;
  const change = new Big(quote.last).minus(quote.close);
  const levels = (best: string, step: number) =>
    [0, 1, 2, 3, 4].map((level) => ({
      price: number(new Big(tick).times(step * level).plus(best)),
      volume: 100 * (level + 1),
      ord: level + 1,
    }));
  return {
    totalbuyqty: 1500,
    totalsellqty: 1500,
    bids: levels(quote.bid, -1),
    ask: levels(quote.ask, 1),
    o: Number(quote.open),
    h: Number(quote.high),
    l: Number(quote.low),
    c: Number(quote.close),
    chp: number(change.div(quote.close).times(100)),
    tick_Size: Number(tick),
    ch: number(change),
    ltq: 1,
    ltt: Math.floor(now / 1000),
    ltp: Number(quote.last),
    v: quote.volume,
    atp: Number(quote.last),
    lower_ckt: Number(instrument.lowerCircuit),
    upper_ckt: Number(instrument.upperCircuit),
    expiry: '',
    oi: 0,
    oiflag: false,
    pdoi: 0,
    oipercent: 0,
  };
}
