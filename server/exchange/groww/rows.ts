import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { orderTypeWord, productWord, refusalText } from './words.ts';

/** Groww's rows: field names and types as documented. Prices in rupees, as JSON numbers; times of orders in IST without a zone. */

export const userId = 'PR000001';

/** Exchange and segment of what Groww trades; CDS it does not. */
export const venueOf = {
  NSE: { exchange: 'NSE', segment: 'CASH' },
  BSE: { exchange: 'BSE', segment: 'CASH' },
  NFO: { exchange: 'NSE', segment: 'FNO' },
  MCX: { exchange: 'MCX', segment: 'COMMODITY' },
  CDS: null,
} as const;

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'NEW',
  VALIDATION: 'NEW',
  OPEN_PENDING: 'ACKED',
  AMO_RECEIVED: 'NEW',
  OPEN: 'APPROVED',
  TRIGGER_PENDING: 'TRIGGER_PENDING',
  MODIFY_VALIDATION: 'MODIFICATION_REQUESTED',
  MODIFY_PENDING: 'MODIFICATION_REQUESTED',
  MODIFIED: 'APPROVED',
  CANCEL_PENDING: 'CANCELLATION_REQUESTED',
  FILLED: 'EXECUTED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'CANCELLED',
};
const doneWord = { INTRADAY: 'EXECUTED', DELIVERY: 'DELIVERY_AWAITED', CARRYFORWARD: 'COMPLETED' } as const;

/** OPEN stands in the examples and APPROVED in the list of states: both forms are shown in turn. */
export function statusOf(order: ExchangeOrder): string {
  if (order.state === 'FILLED') return doneWord[order.product];
  if (order.state === 'REJECTED' && order.refusal?.code === 'RISK') return 'FAILED';
  if (order.state === 'OPEN' && BigInt(order.serial) % 2n === 1n) return 'OPEN';
  return statusWord[order.state];
}

export function remarkOf(order: ExchangeOrder): string {
  return order.refusal && order.state === 'REJECTED' ? refusalText(order.refusal) : 'Order placed successfully';
}

export const user = {
  vendor_user_id: '5d1c6a4e-0000-4000-8000-000000000001',
  ucc: userId,
  nse_enabled: true,
  bse_enabled: true,
  ddpi_enabled: false,
  active_segments: ['CASH', 'FNO', 'COMMODITY'],
};

/** One pool of money serves all segments. */
export function margins(funds: Funds) {
  const [available, used] = [Number(funds.available), Number(funds.used)];
  return {
    clear_cash: Number(funds.opening),
    net_margin_used: used,
    brokerage_and_charges: 0,
    collateral_used: 0,
    collateral_available: 0,
    adhoc_margin: 0,
    fno_margin_details: {
      net_fno_margin_used: 0,
      span_margin_used: 0,
      exposure_margin_used: 0,
      future_balance_available: available,
      option_buy_balance_available: available,
      option_sell_balance_available: available,
    },
    equity_margin_details: {
      net_equity_margin_used: used,
      cnc_margin_used: 0,
      mis_margin_used: used,
      cnc_balance_available: available,
      mis_balance_available: available,
    },
    commodity_margin_details: {
      commodity_span_margin: 0,
      commodity_exposure_margin: 0,
      commodity_tender_margin: 0,
      commodity_special_margin: 0,
      commodity_additional_margin: 0,
      commodity_unrealised_m2m: 0,
      commodity_realised_m2m: 0,
    },
  };
}

/** The margin of one order, rupees. */
export function orderMargin(product: keyof typeof productWord, required: string) {
  const total = Number(required);
  return {
    exposure_required: 0,
    span_required: product === 'CARRYFORWARD' ? total : 0,
    option_buy_premium: 0,
    brokerage_and_charges: 0,
    total_requirement: total,
    cash_cnc_margin_required: product === 'DELIVERY' ? total : null,
    cash_mis_margin_required: product === 'INTRADAY' ? total : null,
    physical_delivery_margin_requirement: 0,
  };
}

export function orderRow(order: ExchangeOrder) {
  const placed = istText(order.receivedAt).replace(' ', 'T');
  return {
    groww_order_id: order.orderId,
    trading_symbol: order.symbol,
    order_status: statusOf(order),
    remark: remarkOf(order),
    quantity: order.quantity,
    price: Number(order.price),
    trigger_price: Number(order.triggerPrice),
    filled_quantity: order.filled,
    remaining_quantity: remaining(order),
    average_fill_price: Number(averageOf(order)),
    deliverable_quantity: order.product === 'DELIVERY' ? order.filled : 0,
    amo_status: order.state === 'AMO_RECEIVED' ? 'PARKED' : 'NA',
    validity: order.validity,
    ...venueOf[order.exchange],
    order_type: orderTypeWord[order.orderType],
    transaction_type: order.side,
    product: productWord[order.product],
    created_at: placed,
    exchange_time: order.exchangeOrderId === null ? null : placed,
    trade_date: `${placed.slice(0, 10)}T00:00:00Z`,
    order_reference_id: order.tag,
  };
}

/** What the two status calls tell. */
export function statusRow(order: ExchangeOrder) {
  const { groww_order_id, order_status, remark, filled_quantity, order_reference_id } = orderRow(order);
  return { groww_order_id, order_status, remark, filled_quantity, order_reference_id };
}

/** The documented times end in Z and show Indian trading hours; so do these. */
export function tradeRow(trade: Trade, isin: string | null, exchangeOrderId: string | null) {
  const at = `${istText(trade.at).replace(' ', 'T')}Z`;
  return {
    price: Number(trade.price),
    isin: isin ?? '',
    quantity: trade.quantity,
    groww_order_id: trade.orderId,
    groww_trade_id: '',
    exchange_trade_id: trade.tradeId,
    exchange_order_id: exchangeOrderId ?? '',
    trade_status: 'EXECUTED',
    trading_symbol: trade.symbol,
    remark: '',
    ...venueOf[trade.exchange],
    product: productWord[trade.product],
    transaction_type: trade.side,
    created_at: at,
    trade_date_time: at,
    settlement_number: '2026001',
  };
}

export function holdingRow(holding: Holding, isin: string | null) {
  return {
    isin: isin ?? '',
    trading_symbol: holding.symbol,
    quantity: holding.quantity - holding.used,
    average_price: Number(holding.averagePrice),
    pledge_quantity: 0,
    demat_locked_quantity: 0,
    groww_locked_quantity: 0,
    repledge_quantity: 0,
    t1_quantity: 0,
    demat_free_quantity: holding.quantity - holding.used,
    corporate_action_additional_quantity: 0,
    active_demat_transfer_quantity: 0,
  };
}

/** Credit is what was bought, debit what was sold: today's alone, what was carried stands beside them. */
export function positionRow(position: Position, isin: string | null) {
  const { net, overnight } = position;
  const each = (value: Big | string, quantity: number) =>
    quantity === 0 ? 0 : Number(new Big(value).div(quantity).abs().round(4).toFixed());
  const carriedBought = new Big(position.buyValue).minus(position.dayBuyValue);
  const carriedSold = new Big(position.sellValue).minus(position.daySellValue);
  const [long, short] = [Math.max(0, overnight), Math.max(0, -overnight)];
  return {
    trading_symbol: position.symbol,
    ...venueOf[position.exchange],
    credit_quantity: position.dayBuyQuantity,
    credit_price: each(position.dayBuyValue, position.dayBuyQuantity),
    debit_quantity: position.daySellQuantity,
    debit_price: each(position.daySellValue, position.daySellQuantity),
    carry_forward_credit_quantity: long,
    carry_forward_credit_price: each(carriedBought, long),
    carry_forward_debit_quantity: short,
    carry_forward_debit_price: each(carriedSold, short),
    symbol_isin: isin ?? '',
    quantity: net,
    product: productWord[position.product],
    net_carry_forward_quantity: overnight,
    net_price: each(position.openValue, net),
    net_carry_forward_price: each(overnight > 0 ? carriedBought : carriedSold, overnight),
    realised_pnl: Number(position.realised),
  };
}

export function ohlc(quote: Quote) {
  return { open: Number(quote.open), high: Number(quote.high), low: Number(quote.low), close: Number(quote.close) };
}

export function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const depth = (price: string, sign: number) =>
    Array.from({ length: 5 }, (_, level) => ({
      price: Number(
        new Big(instrument.tick)
          .times(level * sign)
          .plus(price)
          .toFixed(),
      ),
      quantity: instrument.lotSize * 100 * (level + 1),
    }));
  const change = new Big(quote.last).minus(quote.close);
  return {
    average_price: Number(new Big(quote.high).plus(quote.low).div(2).round(2).toFixed()),
    bid_quantity: instrument.lotSize * 100,
    bid_price: Number(quote.bid),
    day_change: Number(change.toFixed()),
    day_change_perc: Number(change.div(quote.close).times(100).round(4).toFixed()),
    upper_circuit_limit: Number(instrument.upperCircuit),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    ohlc: ohlc(quote),
    depth: { buy: depth(quote.bid, -1), sell: depth(quote.ask, 1) },
    last_price: Number(quote.last),
    last_trade_quantity: instrument.lotSize,
    last_trade_time: now,
    offer_price: Number(quote.ask),
    offer_quantity: instrument.lotSize * 100,
    open_interest: 0,
    total_buy_quantity: instrument.lotSize * 1_500,
    total_sell_quantity: instrument.lotSize * 1_500,
    volume: quote.volume,
  };
}

const csvHeader =
  'exchange,exchange_token,trading_symbol,groww_symbol,name,instrument_type,segment,series,isin,underlying_symbol,underlying_exchange_token,expiry_date,strike_price,lot_size,tick_size,freeze_quantity,is_reserved,buy_allowed,sell_allowed,internal_trading_symbol,is_intraday';

export function instrumentCsv(instruments: readonly Instrument[]): string {
  const lines = instruments.flatMap((one) => {
    const venue = venueOf[one.exchange];
    if (!venue) return [];
    const { exchange, segment } = venue;
    const contract = one.kind === 'EQ' ? [one.symbol] : [one.underlying, one.expiry, ...(one.strike ? [one.strike] : []), one.kind];
    const series = one.kind === 'EQ' && exchange === 'NSE' ? 'EQ' : '';
    const underlying = one.kind === 'EQ' ? '' : one.underlying;
    const named = [exchange, one.exchangeToken, one.symbol, [exchange, ...contract].join('-'), `"${one.name}"`, one.kind, segment, series];
    const facts = [one.isin ?? '', underlying, '', one.expiry ?? '', one.strike ?? '', one.lotSize, one.tick, one.lotSize * 1_000];
    return [[...named, ...facts, 0, 1, 1, one.symbol, 1].join(',')];
  });
  return `${csvHeader}\n${lines.join('\n')}\n`;
}
