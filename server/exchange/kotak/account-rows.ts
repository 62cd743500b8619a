import { Big } from '../../money.ts';
import type { Funds } from '../margin.ts';
import type { HoldingView, Leg, PositionView } from '../views.ts';
import { number } from '../wire/numbers.ts';
import { contract, slashTime } from './rows.ts';
import { countOf, productWord, segmentOf, ucc } from './words.ts';

/** Kotak Neo's rows on the account. Prices in rupees, nearly all as text. */

/** A position: today's `fl` and carried `cf` totals, amounts with the contract's multiplier in them. */
export function positionRow(position: PositionView, now: number) {
  const { day, carried } = position;
  const { tckSz: _tick, it: _type, ...where } = contract(position.instrument);
  const amount = (leg: Leg) => leg.amount.toFixed(2);
  const { units } = countOf(position.instrument);
  const count = (leg: Leg) => String(leg.quantity * units);
  return {
    actId: ucc,
    ...where,
    optTp: where.optTp === '- ' ? 'XX' : where.optTp,
    brdLtQty: Number(where.lotSz),
    cfBuyAmt: amount(carried.buy),
    cfSellAmt: amount(carried.sell),
    cfBuyQty: count(carried.buy),
    cfSellQty: count(carried.sell),
    buyAmt: amount(day.buy),
    sellAmt: amount(day.sell),
    flBuyQty: count(day.buy),
    flSellQty: count(day.sell),
    prod: productWord[position.product],
    type: '',
    sqrFlg: 'Y',
    posFlg: 'true',
    hsUpTm: slashTime(now),
    exp: '-',
    dscQty: '',
    upldPrc: '0.00',
    updRecvTm: now * 1_000_000,
  };
}

export function holdingRow(holding: HoldingView) {
  const { instrument, quote } = holding;
  return {
    displaySymbol: instrument.symbol,
    averagePrice: Number(holding.averagePrice),
    quantity: holding.quantity,
    exchangeSegment: segmentOf[instrument.exchange],
    exchangeIdentifier: String(instrument.exchangeToken),
    holdingCost: number(holding.cost),
    mktValue: number(holding.worth),
    scripId: '746a0ebbc6295a002ab27e42a3e06a6792baeba1',
    instrumentToken: instrument.exchangeToken + 1,
    instrumentType: 'Equity',
    isAlternateScrip: false,
    closingPrice: Number(quote.last),
    symbol: instrument.symbol,
    sellableQuantity: holding.free,
  };
}

const idleLimits =
  'Collateral RmsCollateral AdhocMargin NotionalCash CdsSpreadBenefit AmountUtilizedPrsnt ExposureMarginPrsnt SpanMarginPrsnt PremiumPrsnt MarginVarPrsnt ' +
  'MtomWarningPrcntPrsnt MarginWarningPrcntPrsnt RmsPayInAmt RmsPayOutAmt SpecialMarginPrsnt DaneLimit DeliveryMarginPresent CncSellcrdPresent ' +
  'AddMrgnNrmlPrsnt AddMrgnMisPrsnt CncMrgnVarPrsnt FoUnRlsMtomPrsnt ComUnRlsMtomPrsnt CurUnRlsMtomPrsnt FoRlsMtomPrsnt ComRlsMtomPrsnt CurRlsMtomPrsnt ' +
  'BrokeragePrsnt SlbmLimit RmsMutualFundAmt AuxRmsCollateral AuxNotionalCash AuxAdhocMargin RmsIpoAmt';

export function limitsBody(funds: Funds, now: number) {
  return {
    Category: 'CLIENT_SPECIAL',
    EntityId: '',
    BoardLotLimit: '5000',
    ...Object.fromEntries(idleLimits.split(' ').map((name) => [name, '0'])),
    CollateralValue: funds.balance,
    UnrealizedMtomPrsnt: funds.unrealised,
    RealizedMtomPrsnt: funds.realised,
    CashUnRlsMtomPrsnt: funds.unrealised,
    CashRlsMtomPrsnt: funds.realised,
    MarginUsed: funds.used,
    MarginUsedPrsnt: funds.used,
    Net: funds.available,
    TimeStamp: String(now),
    stCode: 200,
    stat: 'Ok',
  };
}

export function marginBody(required: string, funds: Funds) {
  const places = (value: Big | string) => new Big(value).toFixed(6);
  const short = new Big(required).minus(funds.available);
  return {
    avlCash: places(funds.balance),
    totMrgnUsd: places(new Big(funds.used).plus(required)),
    mrgnUsd: places(funds.used),
    ordMrgn: places(required),
    rmsVldtd: short.gt(0) ? 'NOT_OK' : 'OK',
    reqdMrgn: places(required),
    avlMrgn: places(funds.available),
    insufFund: places(short.gt(0) ? short : '0'),
    stat: 'Ok',
    stCode: 200,
  };
}
