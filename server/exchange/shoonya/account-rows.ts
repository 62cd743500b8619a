import { Big } from '../../money.ts';
import type { Funds } from '../margin.ts';
import type { Instrument, Quote } from '../types.ts';
import type { HoldingView, Leg, PositionView } from '../views.ts';
import { contract, factors, money, product, who } from './rows.ts';
import { productName, productWord, user } from './words.ts';

/** Rows of the Noren order system on the account, and quotes: all values are texts. Prices in rupees. */

/** Carried and today's together; a position that was closed stays with 0, and names its product by the display name alone. */
export function positionRow(position: PositionView) {
  const { instrument, day, carried, total } = position;
  const { prd, s_prdt_ali } = product(position);
  const price = (leg: Leg) => money(leg.average);
  const amount = (leg: Leg) => money(leg.amount);
  const average = price(position.open);
  return {
    stat: 'Ok',
    ...who,
    ...contract(instrument),
    ...factors(instrument),
    ...(position.net === 0 ? {} : { prd }),
    s_prdt_ali,
    netqty: String(position.net),
    netavgprc: average,
    netupldprc: average,
    upldprc: '0.00',
    daybuyqty: String(day.buy.quantity),
    daysellqty: String(day.sell.quantity),
    daybuyavgprc: price(day.buy),
    daysellavgprc: price(day.sell),
    daybuyamt: amount(day.buy),
    daysellamt: amount(day.sell),
    cfbuyqty: String(carried.buy.quantity),
    cfsellqty: String(carried.sell.quantity),
    cfbuyavgprc: price(carried.buy),
    cfsellavgprc: price(carried.sell),
    cfbuyamt: amount(carried.buy),
    cfsellamt: amount(carried.sell),
    totbuyavgprc: price(total.buy),
    totsellavgprc: price(total.sell),
    totbuyamt: amount(total.buy),
    totsellamt: amount(total.sell),
    dayavgprc: average,
    openbuyqty: '0',
    opensellqty: '0',
    openbuyamt: '0.00',
    opensellamt: '0.00',
    openbuyavgprc: '0.00',
    opensellavgprc: '0.00',
    lp: money(position.quote.last),
    rpnl: money(position.realised),
    urmtom: money(position.unrealised),
    bep: average,
  };
}

export function holdingRow(holding: HoldingView) {
  const none = { npoadqty: '0', colqty: '0', benqty: '0', unplgdqty: '0', brkcolqty: '0', btstqty: '0', btstcolqty: '0' };
  return {
    stat: 'Ok',
    exch_tsym: [contract(holding.instrument)],
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
  const results = { rpnl: money(funds.realised), unmtom: money(funds.unrealised) };
  return {
    actid: user,
    prfname: 'PRACTICE',
    cash: money(funds.opening),
    ...none,
    marginused: money(new Big(funds.opening).minus(funds.available)),
    ...results,
  };
}

/** `marginused` is what is used with the order, and of an order there is not enough money for what is missing. */
export function marginFields(required: string, { opening, available }: Funds) {
  const before = new Big(opening).minus(available);
  const missing = new Big(required).minus(available);
  const short = missing.gt(0);
  return {
    cash: money(opening),
    marginused: money(short ? missing : before.plus(required)),
    remarks: short ? 'Insufficient Balance' : 'Order Success',
    marginusedprev: money(before),
    ordermargin: money(required),
  };
}

export const userDetails = {
  ...who,
  uname: 'PRACTICE ACCOUNT',
  email: 'practice@example.com',
  m_num: '0000000000',
  brkname: 'FINV',
  brnchid: 'HO',
  uprev: 'INVESTOR',
  exarr: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'],
  orarr: ['LMT', 'SL-LMT'],
  prarr: Object.entries(productWord).map(([name, prd]) => ({
    prd,
    s_prdt_ali: productName[name as keyof typeof productName],
    exch: name === 'DELIVERY' ? ['NSE', 'BSE'] : ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'],
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
