import type { Funds } from '../margin.ts';
import type { HoldingView, Leg, PositionView } from '../views.ts';
import { rounded } from '../wire/numbers.ts';
import { userId, venueOf } from './rows.ts';
import { productWord } from './words.ts';

/** Groww's rows on the account. Prices in rupees, as JSON numbers. */

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

export function holdingRow(holding: HoldingView) {
  return {
    isin: holding.instrument.isin ?? '',
    trading_symbol: holding.symbol,
    quantity: holding.free,
    average_price: Number(holding.averagePrice),
    pledge_quantity: 0,
    demat_locked_quantity: 0,
    groww_locked_quantity: 0,
    repledge_quantity: 0,
    t1_quantity: 0,
    demat_free_quantity: holding.free,
    corporate_action_additional_quantity: 0,
    active_demat_transfer_quantity: 0,
  };
}

/** Credit is what was bought, debit what was sold: today's alone, what was carried stands beside them. */
export function positionRow(position: PositionView) {
  const { instrument, day, carried, overnight } = position;
  const price = ({ average }: Leg) => rounded(average);
  return {
    trading_symbol: position.symbol,
    ...venueOf[position.exchange],
    credit_quantity: day.buy.quantity,
    credit_price: price(day.buy),
    debit_quantity: day.sell.quantity,
    debit_price: price(day.sell),
    carry_forward_credit_quantity: carried.buy.quantity,
    carry_forward_credit_price: price(carried.buy),
    carry_forward_debit_quantity: carried.sell.quantity,
    carry_forward_debit_price: price(carried.sell),
    symbol_isin: instrument.isin ?? '',
    quantity: position.net,
    product: productWord[position.product],
    net_carry_forward_quantity: overnight,
    net_price: price(position.open),
    net_carry_forward_price: price(overnight > 0 ? carried.buy : carried.sell),
    realised_pnl: Number(position.realised),
  };
}

/** The same with the members that are told of each position alone, and the size of its quantity without a sign. */
export function barePositionRow(position: PositionView) {
  const {
    segment: _,
    net_carry_forward_quantity: _net,
    net_carry_forward_price: _price,
    realised_pnl: _pnl,
    ...row
  } = {
    segment: '',
    ...positionRow(position),
  };
  return { ...row, quantity: Math.abs(row.quantity) };
}
