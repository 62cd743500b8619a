import { Big } from '../../money.ts';
import type { Funds } from '../margin.ts';
import type { Instrument } from '../types.ts';
import type { HoldingView, Leg, PositionView } from '../views.ts';
import { number } from '../wire/numbers.ts';
import { clientCode, contract, multiplierWord, tradingSymbol } from './rows.ts';

/** SmartAPI rows on the account. Prices in rupees. */

export const profile = {
  clientcode: clientCode,
  name: 'Practice Account',
  email: '',
  mobileno: '',
  exchanges: ['NSE', 'BSE', 'MCX', 'CDS', 'NFO', 'BFO'],
  products: ['DELIVERY', 'INTRADAY', 'CARRYFORWARD'],
  lastlogintime: '',
  brokerid: 'B2C',
};

export function rms(funds: Funds) {
  const money = (text: string) => new Big(text).toFixed(4);
  return {
    net: money(funds.available),
    availablecash: money(funds.available),
    availableintradaypayin: '0.0000',
    availablelimitmargin: '0.0000',
    collateral: '0.0000',
    m2munrealized: money(funds.unrealised),
    m2mrealized: money(funds.realised),
    utiliseddebits: money(funds.used),
    utilisedspan: null,
    utilisedoptionpremium: null,
    utilisedholdingsales: null,
    utilisedexposure: null,
    utilisedturnover: null,
    utilisedpayout: '0.0000',
  };
}

/** What a basket of one order needs; a contract's is called span margin. */
export function marginData({ kind }: Instrument, required: string) {
  const [total, share] = [Number(required), kind === 'EQ'];
  const none = { netPremium: 0, marginBenefit: 0, deliveryMargin: 0, totOptionsPremium: 0 };
  return { totalMarginRequired: total, marginComponents: { ...none, spanMargin: share ? 0 : total, nonNFOMargin: share ? total : 0 } };
}

export function holdingRow(holding: HoldingView) {
  const { instrument, quote, free, gain } = holding;
  return {
    tradingsymbol: tradingSymbol(instrument),
    exchange: holding.exchange,
    isin: instrument.isin,
    t1quantity: 0,
    realisedquantity: free,
    quantity: free,
    authorisedquantity: 0,
    product: 'DELIVERY',
    collateralquantity: null,
    collateraltype: null,
    haircut: 0,
    averageprice: Number(holding.averagePrice),
    ltp: Number(quote.last),
    symboltoken: String(instrument.exchangeToken),
    close: Number(quote.close),
    profitandloss: number(gain.times(free)),
    pnlpercentage: number(gain.div(holding.averagePrice).times(100).round(2)),
  };
}

/** Sums over the rows of getAllHolding. */
export function holdingTotals(rows: readonly ReturnType<typeof holdingRow>[]) {
  const sum = (each: (row: ReturnType<typeof holdingRow>) => number) => rows.reduce((total, row) => total + each(row), 0);
  const invested = sum((row) => row.averageprice * row.quantity);
  const profit = sum((row) => row.profitandloss);
  return {
    totalholdingvalue: Math.round(sum((row) => row.ltp * row.quantity)),
    totalinvvalue: Math.round(invested),
    totalprofitandloss: Math.round(profit * 100) / 100,
    totalpnlpercentage: invested === 0 ? 0 : Math.round((profit / invested) * 10_000) / 100,
  };
}

/** A position, all texts: today's legs, the carried ones (`cf`) and both together (`total`). Negative money has a space after its sign. */
export function positionRow(position: PositionView) {
  const { instrument, day, carried, total, net } = position;
  const money = (value: Big) => (value.lt(0) ? `- ${value.abs().toFixed(2)}` : value.toFixed(2));
  const price = ({ quantity, average }: Leg) => (quantity === 0 ? '0.00' : average.toFixed(4));
  const average = net === 0 ? '0.00' : total.netCost.abs().toFixed(4);
  const { lotsize, ...about } = contract(instrument, (value) => value);
  return {
    exchange: position.exchange,
    symboltoken: String(instrument.exchangeToken),
    producttype: position.product,
    tradingsymbol: tradingSymbol(instrument),
    symbolname: instrument.underlying,
    ...about,
    priceden: '1',
    pricenum: '1',
    genden: '1',
    gennum: '1',
    precision: '2',
    multiplier: multiplierWord(instrument),
    boardlotsize: lotsize,
    buyqty: String(day.buy.quantity),
    sellqty: String(day.sell.quantity),
    buyamount: money(day.buy.value),
    sellamount: money(day.sell.value),
    symbolgroup: instrument.expiry === null ? 'EQ' : 'XX',
    lotsize,
    cfbuyqty: String(carried.buy.quantity),
    cfsellqty: String(carried.sell.quantity),
    cfbuyamount: money(carried.buy.value),
    cfsellamount: money(carried.sell.value),
    buyavgprice: price(day.buy),
    sellavgprice: price(day.sell),
    avgnetprice: average,
    netvalue: money(total.sell.value.minus(total.buy.value)),
    netqty: String(net),
    totalbuyvalue: money(total.buy.value),
    totalsellvalue: money(total.sell.value),
    cfbuyavgprice: price(carried.buy),
    cfsellavgprice: price(carried.sell),
    totalbuyavgprice: price(total.buy),
    totalsellavgprice: price(total.sell),
    netprice: average,
    ltp: position.quote.last,
    pnl: total.profit.toFixed(2),
    realised: new Big(position.realised).toFixed(2),
    unrealised: position.unrealised.toFixed(2),
    close: position.quote.close,
  };
}
