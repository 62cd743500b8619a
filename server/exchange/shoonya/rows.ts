import { Big } from '../../money.ts';
import { findInstrument } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { exchangeTime, norenTime, productName, productWord, refusalText, tradingSymbol, typeWord, user } from './words.ts';

/** Rows of the Noren order system: all values are texts, and what does not apply is left out. Prices in rupees. */

/** Status and report word. */
const words: Readonly<Record<OrderState, readonly [string, string]>> = {
  RECEIVED: ['PENDING', 'NewAck'],
  VALIDATION: ['PENDING', 'NewAck'],
  OPEN_PENDING: ['PENDING', 'PendingNew'],
  AMO_RECEIVED: ['PENDING', 'NewAck'],
  OPEN: ['OPEN', 'New'],
  TRIGGER_PENDING: ['TRIGGER_PENDING', 'New'],
  MODIFY_VALIDATION: ['PENDING', 'ModAck'],
  MODIFY_PENDING: ['PENDING', 'PendingReplace'],
  MODIFIED: ['OPEN', 'Replaced'],
  CANCEL_PENDING: ['PENDING', 'PendingCancel'],
  FILLED: ['COMPLETE', 'Fill'],
  REJECTED: ['REJECTED', 'Rejected'],
  CANCELLED: ['CANCELED', 'Canceled'],
  EXPIRED: ['CANCELED', 'Canceled'],
};

const who = { uid: user, actid: user };

/** At least two places. */
function money(value: string | Big): string {
  const exact = new Big(value);
  return exact.round(2).eq(exact) ? exact.toFixed(2) : exact.round(4).toFixed();
}

function perUnit(value: string, quantity: number): string {
  return money(quantity === 0 ? '0' : new Big(value).div(quantity));
}

function contract(instrument: Instrument) {
  const { exchange, exchangeToken, lotSize, tick } = instrument;
  const precision = exchange === 'CDS' ? '4' : '2';
  const identity = { exch: exchange, tsym: tradingSymbol(instrument), token: String(exchangeToken) };
  return { ...identity, pp: precision, ls: String(lotSize), ti: new Big(tick).toFixed(Number(precision)) };
}

function factors({ multiplier }: Instrument) {
  return { mult: '1', prcftr: new Big(multiplier).toFixed(6) };
}

function product(of: Pick<ExchangeOrder, 'product'>) {
  return { prd: productWord[of.product], s_prdt_ali: productName[of.product] };
}

/** The latest state of an order, or with `line` one of its earlier ones. */
export function orderRow(order: ExchangeOrder, line?: ExchangeOrder['history'][number]) {
  const instrument = findInstrument(order.exchange, order.symbol);
  if (!instrument) return [];
  const { state, quantity, filled, price, triggerPrice } = line ?? order;
  const [status, rpt] = words[state];
  const cancelled = status === 'CANCELED' ? { cancelqty: String(remaining(order)) } : {};
  const rejected = status === 'REJECTED' && order.refusal ? { rejreason: refusalText(order.refusal) } : {};
  const fills = filled > 0 ? { fillshares: String(filled), avgprc: money(line ? line.average : averageOf(order)) } : {};
  const at = line?.at ?? order.updatedAt;
  const exchangeKnows = order.exchangeOrderId ? { exchordid: order.exchangeOrderId, exch_tm: exchangeTime(at) } : {};
  return [
    {
      stat: 'Ok',
      norenordno: order.orderId,
      ...who,
      ...contract(instrument),
      ...factors(instrument),
      qty: String(quantity),
      trantype: order.side === 'BUY' ? 'B' : 'S',
      prctyp: typeWord[order.orderType],
      ret: order.validity,
      ...product(order),
      prc: money(price),
      trgprc: money(triggerPrice),
      dscqty: order.details.disclosed ?? '0',
      amo: order.variety === 'AMO' ? 'Yes' : 'No',
      status,
      rpt,
      ...fills,
      ...rejected,
      ...cancelled,
      ...exchangeKnows,
      ...(order.tag ? { remarks: order.tag } : {}),
      norentm: norenTime(at),
      ordenttm: String(Math.floor(order.receivedAt / 1000)),
      rqty: String(quantity),
      rprc: money(price),
      rorgqty: String(quantity),
      rorgprc: money(price),
    },
  ];
}

/** One fill of an order; `qty` and `fillshares` are the whole order's. */
export function tradeRow(trade: Trade, order: ExchangeOrder) {
  const instrument = findInstrument(trade.exchange, trade.symbol);
  if (!instrument) return [];
  return [
    {
      stat: 'Ok',
      norenordno: trade.orderId,
      ...who,
      ...contract(instrument),
      prctyp: typeWord[order.orderType],
      ret: order.validity,
      ...product(trade),
      flid: trade.tradeId,
      fltm: exchangeTime(trade.at),
      trantype: trade.side === 'BUY' ? 'B' : 'S',
      qty: String(order.quantity),
      fillshares: String(order.filled),
      flqty: String(trade.quantity),
      prc: money(order.price),
      flprc: money(trade.price),
      norentm: norenTime(order.receivedAt),
      exch_tm: exchangeTime(trade.at),
      ...(order.tag ? { remarks: order.tag } : {}),
      exchordid: order.exchangeOrderId ?? '',
    },
  ];
}

/** Carried and today's together; a position that was closed stays with 0. */
export function positionRow(position: Position, instrument: Instrument, quote: Quote) {
  const { net, overnight, buyQuantity, buyValue, sellQuantity, sellValue } = position;
  const { dayBuyQuantity, dayBuyValue, daySellQuantity, daySellValue } = position;
  const carried = { buy: Math.max(0, overnight), sell: Math.max(0, -overnight) };
  const cost = new Big(position.openValue).times(Math.sign(net));
  const average = perUnit(position.openValue, Math.abs(net));
  const amount = (value: string | Big) => money(new Big(value).times(position.multiplier));
  const carriedBuy = carried.buy > 0 ? new Big(buyValue).minus(dayBuyValue) : new Big(0);
  const carriedSell = carried.sell > 0 ? new Big(sellValue).minus(daySellValue) : new Big(0);
  return {
    stat: 'Ok',
    ...who,
    ...contract(instrument),
    ...factors(instrument),
    ...product(position),
    netqty: String(net),
    netavgprc: average,
    netupldprc: average,
    upldprc: '0.00',
    daybuyqty: String(dayBuyQuantity),
    daysellqty: String(daySellQuantity),
    daybuyavgprc: perUnit(dayBuyValue, dayBuyQuantity),
    daysellavgprc: perUnit(daySellValue, daySellQuantity),
    daybuyamt: amount(dayBuyValue),
    daysellamt: amount(daySellValue),
    cfbuyqty: String(carried.buy),
    cfsellqty: String(carried.sell),
    cfbuyavgprc: perUnit(carriedBuy.toFixed(), carried.buy),
    cfsellavgprc: perUnit(carriedSell.toFixed(), carried.sell),
    cfbuyamt: amount(carriedBuy),
    cfsellamt: amount(carriedSell),
    totbuyavgprc: perUnit(buyValue, buyQuantity),
    totsellavgprc: perUnit(sellValue, sellQuantity),
    openbuyqty: '0',
    opensellqty: '0',
    openbuyamt: '0.00',
    opensellamt: '0.00',
    lp: money(quote.last),
    rpnl: money(position.realised),
    urmtom: amount(new Big(quote.last).times(net).minus(cost)),
    bep: average,
  };
}

export function holdingRow(holding: Holding, instrument: Instrument) {
  const none = { npoadqty: '0', colqty: '0', benqty: '0', unplgdqty: '0', brkcolqty: '0', btstqty: '0', btstcolqty: '0' };
  return {
    stat: 'Ok',
    exch_tsym: [contract(instrument)],
    holdqty: String(holding.quantity),
    dpqty: '0',
    ...none,
    usedqty: String(holding.used),
    upldprc: money(holding.averagePrice),
    ...product({ product: 'DELIVERY' }),
  };
}

/** Members that would be zero are partly left out, as the broker does. */
export function limits(funds: Funds) {
  const none = { payin: '0.00', payout: '0.00', brkcollamt: '0.00', unclearedcash: '0.00', daycash: '0.00' };
  const opening = new Big(funds.opening);
  const results = { rpnl: money(funds.realised), unmtom: money(funds.unrealised) };
  return { actid: user, prfname: 'PRACTICE', cash: money(opening), ...none, marginused: money(opening.minus(funds.available)), ...results };
}

export const userDetails = {
  ...who,
  uname: 'PRACTICE ACCOUNT',
  email: 'practice@example.com',
  m_num: '0000000000',
  brkname: 'FINV',
  brnchid: 'HO',
  uprev: 'INVESTOR',
  exarr: ['NSE', 'BSE', 'NFO', 'CDS', 'MCX'],
  orarr: ['LMT', 'SL-LMT'],
  prarr: Object.entries(productWord).map(([name, prd]) => ({
    prd,
    s_prdt_ali: productName[name as keyof typeof productName],
    exch: name === 'DELIVERY' ? ['NSE', 'BSE'] : ['NSE', 'BSE', 'NFO', 'CDS', 'MCX'],
  })),
};

export function quoteRow(instrument: Instrument, quote: Quote) {
  const { ls, pp, ti, ...identity } = contract(instrument);
  const isin = instrument.isin ? { isin: instrument.isin } : {};
  return {
    ...identity,
    cname: instrument.name,
    symname: instrument.underlying,
    seg: instrument.kind === 'EQ' ? 'EQT' : 'DER',
    ...isin,
    pp,
    ls,
    ti,
    mult: '1',
    uc: money(instrument.upperCircuit),
    lc: money(instrument.lowerCircuit),
    lp: money(quote.last),
    o: money(quote.open),
    h: money(quote.high),
    l: money(quote.low),
    c: money(quote.close),
    v: String(quote.volume),
    bp1: money(quote.bid),
    sp1: money(quote.ask),
    bq1: String(instrument.lotSize),
    sq1: String(instrument.lotSize),
  };
}
