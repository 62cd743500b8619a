import type { Funds } from '../margin.ts';
import { dayChange, type HoldingView, type Leg, type PositionView, type Sides } from '../views.ts';
import { number, rounded } from '../wire/numbers.ts';
import { instrumentToken, userId } from './rows.ts';
import { productWord } from './words.ts';

/** Kite Connect v3 on the account: profile, margins, holdings and positions. Prices in rupees, as JSON numbers. */

export const profile = {
  user_id: userId,
  user_type: 'individual',
  email: 'practice@example.com',
  user_name: 'Practice Account',
  user_shortname: 'Practice',
  broker: 'ZERODHA',
  exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS'],
  products: ['CNC', 'NRML', 'MIS'],
  order_types: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
  avatar_url: null,
  meta: { demat_consent: 'physical' },
};

/** One pool of money serves shares and derivatives; the commodity segment is shown empty. */
export function margins(funds: Funds) {
  return {
    equity: segment(funds),
    commodity: segment({ opening: '0', balance: '0', realised: '0', unrealised: '0', used: '0', available: '0' }),
  };
}

function segment(funds: Funds) {
  const utilised = {
    debits: Number(funds.used),
    exposure: Number(funds.used),
    m2m_realised: Number(funds.realised),
    m2m_unrealised: Number(funds.unrealised),
    option_premium: 0,
    payout: 0,
    span: 0,
    holding_sales: 0,
    turnover: 0,
    liquid_collateral: 0,
    stock_collateral: 0,
    delivery: 0,
  };
  const available = {
    adhoc_margin: 0,
    cash: Number(funds.opening),
    opening_balance: Number(funds.opening),
    live_balance: Number(funds.available),
  };
  return { enabled: true, net: Number(funds.available), available: { ...available, collateral: 0, intraday_payin: 0 }, utilised };
}

export function holdingRow(holding: HoldingView) {
  const { instrument, quote } = holding;
  const change = dayChange(quote);
  return {
    tradingsymbol: holding.symbol,
    exchange: holding.exchange,
    instrument_token: instrumentToken(instrument),
    isin: instrument.isin,
    product: 'CNC',
    price: 0,
    quantity: holding.free,
    used_quantity: holding.used,
    t1_quantity: 0,
    realised_quantity: holding.free,
    authorised_quantity: 0,
    authorised_date: '2026-01-01 00:00:00',
    authorisation: {},
    opening_quantity: holding.quantity,
    short_quantity: 0,
    collateral_quantity: 0,
    collateral_type: '',
    discrepancy: false,
    average_price: Number(holding.averagePrice),
    last_price: Number(quote.last),
    close_price: Number(quote.close),
    pnl: number(holding.profit),
    day_change: number(change.amount),
    day_change_percentage: rounded(change.percent),
    mtf: { quantity: 0, used_quantity: 0, average_price: 0, value: 0, initial_margin: 0 },
  };
}

/** A position in both of Kite's views: `net` is carried and today's together, `day` today's alone, null when there is none. */
export function positionRows(position: PositionView) {
  const { total, day, overnight } = position;
  const traded = day.buy.quantity + day.sell.quantity > 0;
  return { net: positionRow(position, total, overnight), day: traded ? positionRow(position, day, 0) : null };
}

function positionRow(position: PositionView, { buy, sell, net, flow, profit }: Sides, overnight: number) {
  const { day, instrument, quote } = position;
  const price = (leg: Leg) => rounded(leg.average);
  const value = (leg: Leg) => number(leg.amount);
  const pnl = number(profit);
  return {
    tradingsymbol: position.symbol,
    exchange: position.exchange,
    instrument_token: instrumentToken(instrument),
    product: productWord[position.product],
    quantity: net,
    overnight_quantity: overnight,
    multiplier: position.multiplier,
    average_price: net === 0 ? 0 : price(net > 0 ? buy : sell),
    close_price: overnight === 0 ? 0 : Number(quote.close),
    last_price: Number(quote.last),
    value: number(flow),
    pnl,
    m2m: pnl,
    unrealised: pnl,
    realised: 0,
    buy_quantity: buy.quantity,
    buy_price: price(buy),
    buy_value: value(buy),
    buy_m2m: value(buy),
    sell_quantity: sell.quantity,
    sell_price: price(sell),
    sell_value: value(sell),
    sell_m2m: value(sell),
    day_buy_quantity: day.buy.quantity,
    day_buy_price: price(day.buy),
    day_buy_value: value(day.buy),
    day_sell_quantity: day.sell.quantity,
    day_sell_price: price(day.sell),
    day_sell_value: value(day.sell),
  };
}

/** One row of the margin calculator, rupees. */
export function marginRow(order: { exchange: string; symbol: string }, required: string) {
  const gst = { igst: 0, cgst: 0, sgst: 0, total: 0 };
  const charges = { transaction_tax: 0, transaction_tax_type: 'stt', exchange_turnover_charge: 0, sebi_turnover_charge: 0, brokerage: 0 };
  return {
    type: order.exchange === 'MCX' ? 'commodity' : 'equity',
    tradingsymbol: order.symbol,
    exchange: order.exchange,
    span: 0,
    exposure: 0,
    option_premium: 0,
    additional: 0,
    bo: 0,
    cash: 0,
    var: Number(required),
    pnl: { realised: 0, unrealised: 0 },
    leverage: 1,
    charges: { ...charges, stamp_duty: 0, gst, total: 0 },
    total: Number(required),
  };
}
