import { Big } from '../../money.ts';
import { findInstrument } from '../instruments.ts';
import type { Funds } from '../margin.ts';
import type { HoldingView, Leg, PositionView } from '../views.ts';
import { number, rounded } from '../wire/numbers.ts';
import { seriesName, unitsOf } from './rows.ts';
import { clientId } from './words.ts';

/** Alice Blue rows on the account. Prices in rupees, as JSON numbers. */

const productWord = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const;

export const profile = {
  clientId,
  clientName: 'Practice Account',
  isTotpEnabled: 'Y',
  isPoaProvided: 'N',
  accountStatus: 'Activated',
  exchanges: ['BSE', 'BFO', 'BCD', 'CDS', 'MCX', 'NSE', 'NFO', 'NCOM'],
  products: ['LONGTERM', 'INTRADAY', 'MTF', 'CO', 'BO'],
  orderComplexity: ['REGULAR', 'AMO', 'BO', 'CO'],
};

export function funds(account: Funds) {
  return {
    tradingLimit: Number(account.available),
    openingCashLimit: Number(account.opening),
    intradayPayin: 0,
    collateralMargin: 0,
    creditForSell: 0,
    adhocMargin: 0,
    utilizedMargin: Number(account.used),
    blockedForPayout: 0,
    utilizedSpanMargin: 0,
    utilizedExposureMargin: 0,
  };
}

/** What one order needs, all texts; the sample of the documents has nothing in `preOrderMargin`, though something was used. */
export function marginPart(required: string, { opening, used, available }: Funds) {
  const money = (value: Big | string) => new Big(value).toFixed(2);
  const missing = new Big(required).minus(available);
  return {
    status: 'Ok',
    message: 'Success',
    totalCashAvailable: money(opening),
    preOrderMargin: '',
    postOrderMargin: money(new Big(used).plus(required)),
    currentOrderMargin: money(required),
    rmsValidationCheck: '',
    fundShort: missing.gt(0) ? money(missing) : '',
  };
}

/** A share under its names on both exchanges. */
export function holdingRow(holding: HoldingView) {
  const { instrument, quote } = holding;
  const nse = findInstrument('NSE', instrument.symbol);
  const bse = findInstrument('BSE', instrument.symbol);
  return {
    isin: instrument.isin,
    nseInstrumentId: nse ? String(nse.exchangeToken) : '',
    bseInstrumentId: bse ? String(bse.exchangeToken) : '',
    nseTradingSymbol: nse ? seriesName(nse) : '',
    bseTradingSymbol: bse?.symbol ?? '',
    previousDayClose: Number(quote.close),
    product: 'DELIVERY',
    formattedInstrumentName: seriesName(instrument),
    averageTradedPrice: Number(holding.averagePrice),
    collateralQuantity: 0,
    authorizedQuantity: 0,
    dpQuantity: holding.quantity,
    totalQuantity: 0,
    t1Quantity: 0,
    ltp: Number(quote.last),
    sellableQty: holding.free,
    investedPrice: Number(holding.averagePrice),
  };
}

export function positionRow(position: PositionView) {
  const { instrument, overnight, day } = position;
  const { buy, sell } = position.total;
  const units = unitsOf(instrument);
  const price = (leg: Leg) => rounded(leg.average);
  return {
    instrumentId: String(instrument.exchangeToken),
    tradingSymbol: seriesName(instrument),
    formattedInstrumentName: seriesName(instrument),
    exchange: position.exchange,
    product: productWord[position.product],
    netQuantity: position.net * units,
    netAveragePrice: price(position.open),
    overnightQuantity: overnight * units,
    overnightPrice: overnight === 0 ? 0 : price(overnight > 0 ? buy : sell),
    buyQuantity: buy.quantity * units,
    sellQuantity: sell.quantity * units,
    daySellQuantity: day.sell.quantity * units,
    dayBuyQuantity: day.buy.quantity * units,
    dayBuyPrice: price(day.buy),
    daySellPrice: price(day.sell),
    multiplier: 1,
    lotsize: instrument.lotSize * units,
    ticksize: Number(instrument.tick),
    previousDayClose: null,
    realizedPnl: Number(position.realised),
    buyPrice: price(buy),
    sellPrice: price(sell),
    dayBuyValue: number(day.buy.amount),
    daySellValue: number(day.sell.amount),
    validity: '',
  };
}
