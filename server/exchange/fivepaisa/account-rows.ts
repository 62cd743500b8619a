import type { Funds } from '../margin.ts';
import type { HoldingView, PositionView } from '../views.ts';
import { rounded } from '../wire/numbers.ts';
import { identity } from './rows.ts';
import { clientCode, dateText, scripName } from './words.ts';

/** 5paisa's rows on the account. Prices in rupees, as JSON numbers. */

export function holdingRow(holding: HoldingView) {
  const { instrument, quote } = holding;
  const { Exch, ExchType, ScripCode } = identity(instrument);
  return {
    AvgRate: Number(holding.averagePrice),
    ...{ NseCode: 0, BseCode: 0, [instrument.exchange === 'BSE' ? 'BseCode' : 'NseCode']: ScripCode },
    CurrentPrice: Number(quote.last),
    DPQty: holding.quantity,
    Exch,
    ExchType,
    FullName: instrument.name,
    POASigned: 'Y',
    PoolQty: 0,
    Quantity: holding.free,
    ScripMultiplier: 1,
    Symbol: scripName(instrument),
  };
}

/** Values are quantity x price, without the multiplier. */
export function positionRow(position: PositionView) {
  const { instrument, quote, overnight, carried, day } = position;
  return {
    BODPositionPrice: rounded(carried.netCost),
    BodQty: overnight,
    BookedPL: Number(position.realised),
    BuyAvgRate: rounded(day.buy.average),
    BuyQty: day.buy.quantity,
    BuyValue: rounded(day.buy.value),
    ...identity(instrument),
    LTP: Number(quote.last),
    MTOM: rounded(position.unrealised),
    Multiplier: position.multiplier,
    NetQty: position.net,
    OrderFor: position.product === 'INTRADAY' ? 'I' : 'D',
    PreviousClose: Number(quote.close),
    ScripName: scripName(instrument),
    SellAvgRate: rounded(day.sell.average),
    SellQty: day.sell.quantity,
    SellValue: rounded(day.sell.value),
  };
}

/** `FundsPayln` is the broker's own spelling. */
export function marginBody(funds: Funds, now: number) {
  const equity = {
    AdhocMargin: 0,
    CollateralValueAfterHairCut: 0,
    DPFreeStockValue: 0,
    DerivativeMargin: 0,
    FundsPayln: 0,
    FundsWithdrawal: 0,
    GrossHoldingValue: 0,
    GrossHoldingValueCoverPercentage: 0,
    HairCut: 0,
    Ledgerbalance: rounded(funds.balance),
    MFCollateralValueAfterHaircut: 0,
    MarginBlockedForPendingOrders: 0,
    MarginBlockedforOpenPostion_Cash: rounded(funds.used),
    MarginBlockedforOpenPostion_Collateral: 0,
    MarginBlockedforPendingOrder_Cash: 0,
    MarginBlockedforPendingOrder_Collateral: 0,
    MarginUtilized: rounded(funds.used),
    NetAvailableMargin: rounded(funds.available),
    OptionsPremium: 0,
    TodaysLoss: 0,
    TotalCollateralValue: 0,
    Unsettled_Credits: 0,
  };
  const mutual = { MFCollateralValue: 0, MFFreeStockValue: 0, MFHaircutValue: 0 };
  return { ClientCode: clientCode, EquityMargin: [equity], MFMargin: [mutual], Message: '', TimeStamp: dateText(now) };
}
