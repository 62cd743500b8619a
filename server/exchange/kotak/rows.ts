import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import type { Instrument } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { twoPlaces } from '../wire/numbers.ts';
import { orderSystemWords } from '../wire/state-words.ts';
import { monthTime } from '../wire/times.ts';
import { countOf, productWord, refusalText, segmentOf, tradingSymbol, typeWord, ucc } from './words.ts';

/** Kotak Neo's rows of orders and trades: field names, types and times (IST, no zone) as the broker sends them. Prices in rupees, nearly all as text. */

/** `2025/01/22 14:28:01` */
export function slashTime(at: number): string {
  return istText(at).replaceAll('-', '/');
}

/** What is traded. */
export function contract(instrument: Instrument) {
  const { exchange, kind, strike, expiry } = instrument;
  const option = kind === 'CE' || kind === 'PE';
  const { lot, multiplier, quoted } = countOf(instrument);
  return {
    exSeg: segmentOf[exchange],
    trdSym: tradingSymbol(instrument),
    sym: instrument.underlying,
    tok: String(instrument.exchangeToken),
    series: kind === 'EQ' ? 'EQ' : 'XX',
    optTp: option ? kind : '- ',
    stkPrc: twoPlaces(strike ?? '0'),
    expDt: expiry ?? 'NA',
    lotSz: String(lot),
    multiplier: String(multiplier),
    genDen: String(quoted),
    genNum: '1',
    prcNum: '1',
    prcDen: '1',
    precision: exchange === 'CDS' ? '4' : '2',
    tckSz: new Big(instrument.tick).toFixed(4),
    it: kind,
  };
}

/** The tag as placed, until a change or a cancellation puts the broker's own text there. */
function guiOrderId(order: OrderView): string {
  if (order.modifications > 0) return `${order.serial}-ADMINAPI`;
  if (order.state === 'CANCELLED' && order.tag) return `${order.tag}-${Math.floor(order.updatedAt / 1000)}`;
  return order.tag ?? '';
}

function rejection(order: OrderView): string {
  return order.refusal ? (order.details.rejection ?? refusalText(order.refusal)) : '--';
}

/** A row of the order report, its fields in the broker's order: as far as what filled, then the order itself. */
export function orderRow(order: OrderView) {
  return { ...fillsPart(order), ...orderPart(order) };
}

function fillsPart(order: OrderView) {
  const { units, lot } = countOf(order.instrument);
  return {
    actId: ucc,
    algId: 'NA',
    algCat: 'NA',
    algSeqNo: 'NA',
    avgPrc: twoPlaces(order.average),
    brdLtQty: String(lot),
    brkClnt: '08081',
    cnlQty: order.cancelled * units,
    coPct: 0,
    defMktProV: '0',
    dscQtyPct: '0',
    dscQty: Number(order.details.disclosed ?? 0),
    exUsrInfo: 'NA',
    exCfmTm: order.exchangeOrderId ? monthTime(order.updatedAt) : '--',
    exOrdId: order.exchangeOrderId ?? 'NA',
    expDtSsb: '-',
    fldQty: order.filled * units,
    boeSec: Math.floor(order.updatedAt / 1000),
    mktProPct: '--',
    mktPro: '0',
    mfdBy: 'NA',
    minQty: 0,
    mktProFlg: '0',
    noMktProFlg: '0',
  };
}

function orderPart(order: OrderView) {
  const status = order.state === 'CANCELLED' && order.variety === 'AMO' ? 'cancelled after market order' : orderSystemWords[order.state];
  const { tckSz, it, ...where } = contract(order.instrument);
  const { units } = countOf(order.instrument);
  return {
    nOrdNo: order.orderId,
    ordAutSt: 'NA',
    odCrt: 'NA',
    ordDtTm: monthTime(order.updatedAt),
    ordEntTm: monthTime(order.receivedAt),
    ordGenTp: 'NA',
    ordSrc: '',
    ordValDt: 'NA',
    prod: productWord[order.product],
    prc: twoPlaces(order.price),
    prcTp: typeWord[order.orderType],
    qty: order.quantity * units,
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
    trgPrc: twoPlaces(order.triggerPrice),
    ...where,
    tckSz,
    unFldSz: order.pending * units,
    usrId: '',
    uSec: String(Math.floor(order.updatedAt / 1000)),
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

/** A line of an order's history, whose fields differ from the report's; the tag is shown as on the order itself. */
export function historyRow(line: OrderView, order: OrderView) {
  const { exSeg: _segment, lotSz, ...where } = contract(line.instrument);
  const time = monthTime(line.updatedAt);
  const { units } = countOf(line.instrument);
  return {
    ...where,
    exch: line.exchange,
    nOrdNo: line.orderId,
    nReqId: '1',
    exchOrdId: line.exchangeOrderId ?? 'NA',
    exchTmstp: line.exchangeOrderId ? time : '--',
    flDtTm: time,
    ordDur: line.validity,
    ordSt: orderSystemWords[line.state],
    avgPrc: twoPlaces(line.average),
    prc: twoPlaces(line.price),
    trgPrc: twoPlaces(line.triggerPrice),
    prcTp: typeWord[line.orderType],
    prod: productWord[line.product],
    trnsTp: line.side === 'BUY' ? 'B' : 'S',
    qty: line.quantity * units,
    fldQty: line.filled * units,
    unFldSz: line.unfilled * units,
    dclQty: '0',
    cstFrm: 'C',
    brdLtQty: Number(lotSz),
    ordUsrMsg: '',
    legOrdInd: '',
    rejRsn: rejection(line),
    uSec: String(line.updatedAt),
    GuiOrdId: guiOrderId(order),
  };
}

export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  const { tckSz: _tick, it, ...where } = contract(instrument);
  const [day = '', time = ''] = monthTime(trade.at).split(' ');
  return {
    actId: ucc,
    algCat: 'NA',
    algId: 'NA',
    avgPrc: twoPlaces(trade.price),
    boeSec: Math.floor(trade.at / 1000),
    brdLtQty: Number(where.lotSz),
    brkClnt: 'NA',
    cstFrm: 'C',
    exOrdId: order.exchangeOrderId ?? 'NA',
    exp: '-',
    exTm: monthTime(order.receivedAt),
    fldQty: trade.quantity * countOf(instrument).units,
    flDt: day,
    flId: trade.tradeId,
    flLeg: 1,
    flTm: time,
    minQty: 0,
    nOrdNo: trade.orderId,
    nReqId: '1',
    ordDur: 'NA',
    ordGenTp: '--',
    prcTp: typeWord[order.orderType],
    prod: productWord[trade.product],
    rmk: '--',
    rptTp: 'fill',
    ...where,
    tok: '',
    trnsTp: trade.side === 'BUY' ? 'B' : 'S',
    usrId: ucc,
    hsUpTm: slashTime(trade.at),
    GuiOrdId: guiOrderId(order),
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
