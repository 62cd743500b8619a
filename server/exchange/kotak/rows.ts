import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import { findInstrument } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, isFinal, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { productWord, refusalText, segmentOf, tradingSymbol, typeWord, ucc } from './words.ts';

/** Kotak Neo's rows: field names, types and times (IST, no zone) as the broker sends them. Prices in rupees, nearly all as text. */

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'put order req received',
  VALIDATION: 'validation pending',
  OPEN_PENDING: 'open pending',
  AMO_RECEIVED: 'after market order req received',
  OPEN: 'open',
  TRIGGER_PENDING: 'trigger pending',
  MODIFY_VALIDATION: 'modify validation pending',
  MODIFY_PENDING: 'modify pending',
  MODIFIED: 'modified',
  CANCEL_PENDING: 'cancel pending',
  FILLED: 'complete',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  EXPIRED: 'cancelled',
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `22-Jan-2025 14:28:01` */
function longTime(at: number): string {
  const [date = '', time = ''] = istText(at).split(' ');
  const [year, month, day] = date.split('-');
  return `${day}-${months[Number(month) - 1]}-${year} ${time}`;
}

function slashTime(at: number): string {
  return istText(at).replaceAll('-', '/');
}

/** At least two places. */
function money(value: string): string {
  const exact = new Big(value);
  return exact.round(2).eq(exact) ? exact.toFixed(2) : exact.toFixed();
}

function place(of: Pick<Instrument, 'exchange' | 'symbol'>) {
  const instrument = findInstrument(of.exchange, of.symbol);
  const option = instrument?.kind === 'CE' || instrument?.kind === 'PE';
  return {
    exSeg: segmentOf[of.exchange],
    trdSym: tradingSymbol(of),
    sym: instrument?.underlying ?? of.symbol,
    tok: String(instrument?.exchangeToken ?? ''),
    series: instrument?.kind === 'EQ' ? 'EQ' : 'XX',
    optTp: option ? instrument.kind : '- ',
    stkPrc: money(instrument?.strike ?? '0'),
    expDt: instrument?.expiry ?? 'NA',
    lotSz: String(instrument?.lotSize ?? 1),
    multiplier: String(instrument?.multiplier ?? 1),
    genDen: '1',
    genNum: '1',
    prcNum: '1',
    prcDen: '1',
    precision: of.exchange === 'CDS' ? '4' : '2',
    tckSz: new Big(instrument?.tick ?? '0.05').toFixed(4),
    it: instrument?.kind ?? 'EQ',
  };
}

/** The tag as placed, until a change or a cancellation puts the broker's own text there. */
function guiOrderId(order: ExchangeOrder): string {
  if (order.modifications > 0) return `${order.serial}-ADMINAPI`;
  if (order.state === 'CANCELLED' && order.tag) return `${order.tag}-${Math.floor(order.updatedAt / 1000)}`;
  return order.tag ?? '';
}

function rejection(order: ExchangeOrder): string {
  return order.refusal ? (order.details.rejection ?? refusalText(order.refusal)) : '--';
}

/** A row of the order report. */
export function orderRow(order: ExchangeOrder) {
  const { tckSz, it, ...where } = place(order);
  const status = order.state === 'CANCELLED' && order.variety === 'AMO' ? 'cancelled after market order' : statusWord[order.state];
  const seconds = Math.floor(order.updatedAt / 1000);
  const cancelled = order.state === 'CANCELLED' || order.state === 'EXPIRED';
  return {
    actId: ucc,
    algId: 'NA',
    algCat: 'NA',
    algSeqNo: 'NA',
    avgPrc: money(averageOf(order)),
    brdLtQty: where.lotSz,
    brkClnt: '08081',
    cnlQty: cancelled ? remaining(order) : 0,
    coPct: 0,
    defMktProV: '0',
    dscQtyPct: '0',
    dscQty: Number(order.details.disclosed ?? 0),
    exUsrInfo: 'NA',
    exCfmTm: order.exchangeOrderId ? longTime(order.updatedAt) : '--',
    exOrdId: order.exchangeOrderId ?? 'NA',
    expDtSsb: '-',
    fldQty: order.filled,
    boeSec: seconds,
    mktProPct: '--',
    mktPro: '0',
    mfdBy: 'NA',
    minQty: 0,
    mktProFlg: '0',
    noMktProFlg: '0',
    nOrdNo: order.orderId,
    ordAutSt: 'NA',
    odCrt: 'NA',
    ordDtTm: longTime(order.updatedAt),
    ordEntTm: longTime(order.receivedAt),
    ordGenTp: 'NA',
    ordSrc: '',
    ordValDt: 'NA',
    prod: productWord[order.product],
    prc: money(order.price),
    prcTp: typeWord[order.orderType],
    qty: order.quantity,
    refLmtPrc: 0,
    rejRsn: rejection(order),
    rmk: '--',
    rptTp: 'NA',
    reqId: '1',
    sipInd: 'NA',
    stat: status,
    ordSt: status,
    symOrdId: 'NA',
    trnsTp: order.side === 'BUY' ? 'B' : 'S',
    trgPrc: money(order.triggerPrice),
    ...where,
    tckSz,
    unFldSz: isFinal(order) ? 0 : remaining(order),
    usrId: '',
    uSec: String(seconds),
    vldt: order.validity,
    classification: '0',
    vendorCode: '',
    hsUpTm: slashTime(order.updatedAt),
    GuiOrdId: guiOrderId(order),
    locId: '111111111111100',
    appInstlId: 'NA',
    ordModNo: '',
    strategyCode: 'NA',
    updRecvTm: order.updatedAt * 1_000_000,
    it,
  };
}

/** A line of an order's history, whose fields differ from the report's. */
export function historyRow(order: ExchangeOrder, line: ExchangeOrder['history'][number]) {
  const { exSeg: _segment, lotSz: _lot, ...where } = place(order);
  return {
    ...where,
    exch: order.exchange,
    nOrdNo: order.orderId,
    nReqId: '1',
    exchOrdId: order.exchangeOrderId ?? 'NA',
    exchTmstp: order.exchangeOrderId ? longTime(line.at) : '--',
    flDtTm: longTime(line.at),
    ordDur: order.validity,
    ordSt: statusWord[line.state],
    avgPrc: money(line.average),
    prc: money(line.price),
    trgPrc: money(line.triggerPrice),
    prcTp: typeWord[order.orderType],
    prod: productWord[order.product],
    trnsTp: order.side === 'BUY' ? 'B' : 'S',
    qty: line.quantity,
    fldQty: line.filled,
    unFldSz: line.quantity - line.filled,
    dclQty: '0',
    cstFrm: 'C',
    brdLtQty: Number(_lot),
    ordUsrMsg: '',
    legOrdInd: '',
    rejRsn: line.state === 'REJECTED' ? rejection(order) : '--',
    uSec: String(line.at),
    GuiOrdId: guiOrderId(order),
  };
}

export function tradeRow(trade: Trade, order: ExchangeOrder | undefined) {
  const { tckSz: _tick, it, ...where } = place(trade);
  const [day = '', time = ''] = longTime(trade.at).split(' ');
  return {
    actId: ucc,
    algCat: 'NA',
    algId: 'NA',
    avgPrc: money(trade.price),
    boeSec: Math.floor(trade.at / 1000),
    brdLtQty: Number(where.lotSz),
    brkClnt: 'NA',
    cstFrm: 'C',
    exOrdId: order?.exchangeOrderId ?? 'NA',
    exp: '-',
    exTm: longTime(order?.receivedAt ?? trade.at),
    fldQty: trade.quantity,
    flDt: day,
    flId: trade.tradeId,
    flLeg: 1,
    flTm: time,
    minQty: 0,
    nOrdNo: trade.orderId,
    nReqId: '1',
    ordDur: 'NA',
    ordGenTp: '--',
    prcTp: typeWord[order?.orderType ?? 'LIMIT'],
    prod: productWord[trade.product],
    rmk: '--',
    rptTp: 'fill',
    ...where,
    tok: '',
    trnsTp: trade.side === 'BUY' ? 'B' : 'S',
    usrId: ucc,
    hsUpTm: slashTime(trade.at),
    GuiOrdId: order ? guiOrderId(order) : '',
    locId: '111111111111100',
    ordSrc: 'NA',
    strategyCode: '',
    updRecvTm: trade.at * 1_000_000,
    uSec: String(Math.floor(trade.at / 1000)),
    posFlg: '',
    prc: '',
    qty: 0,
    tm: '',
    it,
  };
}

/** A position: today's `fl` and carried `cf` totals, amounts with the contract's multiplier in them. */
export function positionRow(position: Position, now: number) {
  const { tckSz: _tick, it: _type, ...where } = place(position);
  const carriedBuy = position.buyQuantity - position.dayBuyQuantity;
  const carriedSell = position.sellQuantity - position.daySellQuantity;
  const amount = (value: string, less: string) => new Big(value).minus(less).times(position.multiplier).toFixed(2);
  return {
    actId: ucc,
    ...where,
    optTp: where.optTp === '- ' ? 'XX' : where.optTp,
    brdLtQty: Number(where.lotSz),
    cfBuyAmt: amount(position.buyValue, position.dayBuyValue),
    cfSellAmt: amount(position.sellValue, position.daySellValue),
    cfBuyQty: String(carriedBuy),
    cfSellQty: String(carriedSell),
    buyAmt: amount(position.dayBuyValue, '0'),
    sellAmt: amount(position.daySellValue, '0'),
    flBuyQty: String(position.dayBuyQuantity),
    flSellQty: String(position.daySellQuantity),
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

export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote) {
  return {
    displaySymbol: instrument.symbol,
    averagePrice: Number(holding.averagePrice),
    quantity: holding.quantity,
    exchangeSegment: segmentOf[instrument.exchange],
    exchangeIdentifier: String(instrument.exchangeToken),
    holdingCost: Number(new Big(holding.averagePrice).times(holding.quantity).toFixed()),
    mktValue: Number(new Big(quote.last).times(holding.quantity).toFixed()),
    scripId: '746a0ebbc6295a002ab27e42a3e06a6792baeba1',
    instrumentToken: instrument.exchangeToken + 1,
    instrumentType: 'Equity',
    isAlternateScrip: false,
    closingPrice: Number(quote.last),
    symbol: instrument.symbol,
    sellableQuantity: holding.quantity - holding.used,
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
    CollateralValue: new Big(funds.opening).plus(funds.realised).toFixed(),
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
    avlCash: places(new Big(funds.opening).plus(funds.realised)),
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
