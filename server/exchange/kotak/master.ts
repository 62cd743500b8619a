import { tradingDay } from '../../clock.ts';
import { Big } from '../../money.ts';
import type { Exchange } from '../exchange.ts';
import { isOption, type Listed } from '../types.ts';
import { csvCell } from '../wire/csv.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { classOf } from '../wire/listing.ts';
import { masterRoutes as fileRoutes, type MasterFile } from '../wire/master-files.ts';
import { json, type WireReply } from '../wire/message.ts';
import { pricePlaces } from '../wire/numbers.ts';
import { countOf, dayText, segmentOf, tradingSymbol } from './words.ts';

/** Kotak Neo's scrip master: a list of addresses, which the access token opens, and the files there, which are open and of one day. */

const FOLDER = '/wso2-scripmaster/v1/prod';
/** Files of a day, and the segment each holds. The exchange has nothing for nse_com. */
const files: Readonly<Record<string, string>> = {
  'transformed/cde_fo.csv': 'cde_fo',
  'transformed/mcx_fo.csv': 'mcx_fo',
  'transformed/nse_fo.csv': 'nse_fo',
  'transformed/bse_fo.csv': 'bse_fo',
  'transformed/nse_com.csv': 'nse_com',
  'transformed-v1/bse_cm-v1.csv': 'bse_cm',
  'transformed-v1/nse_cm-v1.csv': 'nse_cm',
};
const masterFiles = Object.entries(files).map(
  ([file, segment]): MasterFile => ({ path: file, type: 'text/csv', lines: (listed) => lines(listed, segment) }),
);
type Handle = (call: Call) => WireReply;

/** `guarded` asks for the access token first. */
export function masterRoutes(exchange: Exchange, guarded: (handle: Handle) => Handle): Route[] {
  const today = () => tradingDay(exchange.clock.now());
  const made = new Map(fileRoutes(exchange, masterFiles).map((route) => [route.path, route]));

  function filePaths({ request }: Call): WireReply {
    const baseFolder = `${request.origin}${FOLDER}`;
    return json(200, { data: { filesPaths: Object.keys(files).map((file) => `${baseFolder}/${today()}/${file}`), baseFolder } });
  }

  function file(call: Call): ReturnType<Route['handle']> {
    const { day, folder, file: name } = call.params;
    const found = made.get(`${folder}/${name}`);
    return found && day === today() ? found.handle(call) : denied;
  }

  const open = { method: 'GET', operation: 'market', open: true } as const;
  return [
    { ...open, path: '/script-details/1.0/masterscrip/file-paths', handle: guarded(filePaths) },
    // The files lie on another host, outside the limits of the API.
    { ...open, path: `${FOLDER}/:day/:folder/:file`, limit: 'instruments', handle: file },
  ];
}

/** What the file store says of all it does not have, or no longer. */
const denied: WireReply = {
  status: 403,
  headers: { 'Content-Type': 'application/xml' },
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};

/** Blanks and the semicolon are part of the broker's column names. */
const header =
  'pSymbol,pGroup,pExchSeg,pInstType,pSymbolName,pTrdSymbol,pOptionType,pScripRefKey,pISIN,pAssetCode,pSubGroup,pCombinedSymbol,pDesc,pAmcCode,' +
  'pContractId,dTickSize ,lLotSize,lExpiryDate ,lMultiplier ,lPrecision,dStrikePrice;,pExchange,pInstName,pExpiryDate,pIssueDate,pMaturityDate,' +
  'pListingDate,pNoDelStartDate,pNoDelEndDate,pBookClsStartDate,pBookClsEndDate,pRecordDate,pCreditRating,pReAdminDate,pExpulsionDate,' +
  'pLocalUpdateTime,pDeliveryUnits,pPriceUnits,pLastTradingDate,pTenderPeridEndDate,pTenderPeridStartDate,pSellVarMargin,pBuyVarMargin,' +
  'pInstrumentInfo,pRemarksText,pSegment,pNav,pNavDate,pMfAmt,pSipSecurity,pFaceValue,pTrdUnits,pExerciseStartDate,pExerciseEndDate,pElmMargin,' +
  'pVarMargin,pTotProposedLimitValue,pScripBasePrice,pSettlementType,pCurrectionTime,iPermittedToTrade,iBoardLotQty ,iMaxOrderSize ,iLotSize,' +
  'dOpenInterest ,dHighPriceRange ,dLowPriceRange ,dPriceNum   ,dGenDen,dGenNum,dPriceQuatation ,dIssuerate ,dPriceDen,dWarningQty ,' +
  'dIssueCapital ,dExposureMargin ,dMinRedemptionQty ,lFreezeQty,CASEligible';
const columns = header.split(',');

function* lines(listed: Iterable<Listed>, segment: string): Generator<string> {
  yield `${header}\n`;
  for (const one of listed) yield segmentOf[one.exchange] === segment ? line(one) : '';
}

function line(one: Listed): string {
  const cells: Readonly<Record<string, string | number>> = { ...named(one), ...measured(one), ...same };
  return `${columns.map((column) => cells[column] ?? '').join(',')}\n`;
}

/** What every row says. */
const same = {
  'iBoardLotQty ': 1,
  'dOpenInterest ': 0,
  'dPriceNum   ': 1,
  dGenNum: 1,
  'dPriceQuatation ': 0,
  'dIssuerate ': 0,
  dPriceDen: 1,
  'dWarningQty ': 0,
  'dIssueCapital ': -1,
  'dExposureMargin ': 0,
  'dMinRedemptionQty ': 0,
  CASEligible: 'false',
};

const venue = { NSE: 'NSE', BSE: 'BSE', NFO: 'NSE', BFO: 'BSE', MCX: 'MCX', CDS: 'CDS' } as const;

function named(one: Listed): Record<string, string | number> {
  const { exchange, kind, symbol, underlying, name, isin, base } = one;
  const tradable = kind !== 'INDEX';
  const contract = tradable && kind !== 'EQ';
  const type = contract ? typeOf(one) : '';
  return {
    pSymbol: one.exchangeToken,
    pGroup: one.series ?? (contract && exchange !== 'MCX' ? 'XX' : ''),
    pExchSeg: segmentOf[exchange],
    pInstType: type,
    pSymbolName: contract ? underlying : symbol,
    pTrdSymbol: tradingSymbol(one),
    pOptionType: contract ? optionOf(one) : '',
    pScripRefKey: contract ? referenceKey(one) : symbol,
    pISIN: isin ?? '',
    pAssetCode: base?.exchangeToken ?? '',
    pDesc: contract ? '' : csvCell(tradable ? name : symbol),
    pExchange: tradable ? venue[exchange] : '',
    pInstName: type,
    pSegment: contract ? 'FO' : tradable ? 'CASH' : '',
    pSettlementType: contract ? 'Cash' : tradable ? 'T+1' : '',
  };
}

const NO_FREEZE = 99_999_999;

function measured(one: Listed): Record<string, string | number> {
  if (one.kind === 'INDEX')
    return { ...unpriced, lPrecision: 2, 'dTickSize ': -1, iLotSize: 1, lFreezeQty: 0, dGenDen: 1, iPermittedToTrade: 0 };
  const { lot, units, quoted } = countOf(one);
  const paise = (rupees: string) => sixDigits(new Big(rupees).times(100));
  const closes = closing(one);
  const freeze = one.freezeQuantity === null ? NO_FREEZE : one.freezeQuantity * units;
  return {
    'dTickSize ': paise(one.tick),
    lLotSize: lot,
    'lExpiryDate ': closes,
    'lMultiplier ': one.exchange === 'CDS' ? one.multiplier : -1,
    lPrecision: pricePlaces(one),
    'dStrikePrice;': one.strike === null ? -1 : sixDigits(new Big(one.strike).times(new Big(10).pow(pricePlaces(one)))),
    pExpiryDate: closes === -1 ? '' : closes,
    iPermittedToTrade: 1,
    'iMaxOrderSize ': one.freezeQuantity === null ? '' : freeze,
    iLotSize: lot,
    'dHighPriceRange ': paise(one.upperCircuit),
    'dLowPriceRange ': paise(one.lowerCircuit),
    dGenDen: quoted,
    lFreezeQty: freeze,
  };
}

/** What an index has no value for. */
const unpriced = {
  lLotSize: 1,
  'lExpiryDate ': -1,
  'lMultiplier ': -1,
  'dStrikePrice;': -1,
  'iMaxOrderSize ': 0,
  'dHighPriceRange ': 0,
  'dLowPriceRange ': 0,
};

/** BSE has letters of its own: I for an index, S for a share, with F or O. */
function typeOf(one: Listed): string {
  const kind = classOf(one);
  const option = isOption(one);
  if (one.exchange === 'BFO') return `${kind === 'IDX' ? 'I' : 'S'}${option ? 'O' : 'F'}`;
  if (option) return kind === 'COM' ? 'OPTFUT' : `OPT${kind}`;
  return `FUT${kind}`;
}

function optionOf({ kind, exchange }: Listed): string {
  if (kind !== 'FUT') return kind;
  return exchange === 'MCX' ? '' : 'XX';
}

/** NIFTY22SEP2621000.00PE */
function referenceKey(one: Listed): string {
  const terms = one.strike === null ? one.kind : `${new Big(one.strike).toFixed(2)}${one.kind}`;
  return `${one.underlying}${dayText(one)}${terms}`;
}

/** The NSE counts the seconds of its contracts from 1980, to when trading in them ends; MCX ends a day with the day of UTC. */
const closings: Readonly<Partial<Record<Listed['exchange'], readonly [time: string, shift: number]>>> = {
  NFO: ['T14:30:00+05:30', 315_513_000],
  CDS: ['T14:30:00+05:30', 315_513_000],
  BFO: ['T14:30:00+05:30', 0],
  MCX: ['T23:59:59Z', 0],
};

/** When a contract ends, in seconds as its file counts them; -1 for what never does. */
function closing({ exchange, expiry }: Listed): number {
  const [time, shift] = closings[exchange] ?? [];
  return time === undefined || shift === undefined ? -1 : Date.parse(`${expiry}${time}`) / 1000 - shift;
}

/** A number as C++ prints it: six digits, and an exponent from a million on, 2.92e+06. */
function sixDigits(value: Big): string {
  if (value.lt(1_000_000)) return new Big(value.toPrecision(6)).toFixed();
  const [digits = '', exponent = ''] = value.toExponential(5).split('e+');
  return `${new Big(digits).toFixed()}e+${exponent.padStart(2, '0')}`;
}
