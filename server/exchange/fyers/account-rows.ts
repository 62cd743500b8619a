import type { Funds } from '../margin.ts';
import type { HoldingView, PositionView } from '../views.ts';
import { rounded } from '../wire/numbers.ts';
import { identity } from './rows.ts';
import { productWord, userId } from './words.ts';

/** FYERS v3 rows on the account. Prices in rupees, as JSON numbers. */

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
  const amounts: [string, string][] = [
    ['Total Balance', funds.balance],
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
  return amounts.map(([title, amount], index) => ({ id: index + 1, title, equityAmount: rounded(amount), commodityAmount: 0 }));
}

export function holdingRow(holding: HoldingView, id: number) {
  const { instrument, quote } = holding;
  return {
    holdingType: 'HLD',
    quantity: holding.quantity,
    costPrice: Number(holding.averagePrice),
    marketVal: rounded(holding.worth),
    remainingQuantity: holding.free,
    pl: rounded(holding.profit),
    ltp: Number(quote.last),
    id,
    ...identity(instrument),
    isin: instrument.isin,
    qty_t1: 0,
    remainingPledgeQuantity: -1,
    collateralQuantity: 0,
  };
}

/** Values are quantity x price, without the multiplier. What the open net cost is told nowhere by itself: rows of 2025 have no `avgPrice`. */
export function positionRow(position: PositionView, slNo: number) {
  const { instrument, net, open, carried, day } = position;
  const { buy, sell, netCost } = position.total;
  const { symbol, ...named } = identity(instrument);
  const productType = productWord[position.product];
  return {
    symbol,
    id: `${symbol}-${productType}`,
    buyAvg: rounded(buy.average),
    buyQty: buy.quantity,
    buyVal: rounded(buy.value),
    sellAvg: rounded(sell.average),
    sellQty: sell.quantity,
    sellVal: rounded(sell.value),
    netAvg: rounded(netCost),
    netQty: net,
    side: Math.sign(net),
    qty: open.quantity,
    productType,
    realized_profit: rounded(position.realised),
    crossCurrency: '',
    rbiRefRate: 1,
    ...named,
    dayBuyQty: day.buy.quantity,
    daySellQty: day.sell.quantity,
    cfBuyQty: carried.buy.quantity,
    cfSellQty: carried.sell.quantity,
    qtyMulti_com: position.multiplier,
    pl: rounded(position.profit),
    unrealized_profit: rounded(position.unrealised),
    ltp: Number(position.quote.last),
    slNo,
  };
}
