import type { InstrumentKind } from '../../../contract/words.ts';
import { Big } from '../../money.ts';
import type { Listed, Master, MasterExchange, MasterFields, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay, contractKind, istDay, tokenNumber } from '../master-values.ts';

/** Seconds between 1970 and 1980, less those that make its days end at 14:30 in India. */
const NSE_EPOCH_S = 315_513_000;
const utcDay = (seconds: number) => calendarDay(new Date(seconds * 1_000).toISOString().slice(0, 10));
const unixDay = (seconds: number) => istDay(seconds * 1_000);
const nseDay = (seconds: number) => unixDay(seconds + NSE_EPOCH_S);

interface Segment {
  exchange: MasterExchange;
  /** The exchange of its indices. */
  index?: MasterExchange;
  /** How `lExpiryDate` counts. */
  day?(seconds: number): string | null;
  /** Nobody says what `lFreezeQty` counts there. */
  freezeInDoubt?: boolean;
}

const segments: ReadonlyMap<string, Segment> = new Map<string, Segment>([
  ['nse_cm', { exchange: 'NSE', index: 'NSE_INDEX' }],
  ['bse_cm', { exchange: 'BSE', index: 'BSE_INDEX' }],
  ['nse_fo', { exchange: 'NFO', day: nseDay }],
  ['bse_fo', { exchange: 'BFO', day: unixDay }],
  ['cde_fo', { exchange: 'CDS', day: nseDay, freezeInDoubt: true }],
  // The last second of the day of UTC: in India it is the next day's already.
  ['mcx_fo', { exchange: 'MCX', day: utcDay, freezeInDoubt: true }],
]);

function kindOf(row: MasterFields, segment: Segment): InstrumentKind | undefined {
  const { pInstType = '', pOptionType = '', pISIN = '' } = row;
  if (segment.day === undefined) return pISIN === '' && /^-1(\.0+)?$/.test(row.dTickSize ?? '') ? 'INDEX' : 'EQ';
  return contractKind(pInstType, pOptionType);
}

/** The file prints six digits, and an exponent from a million on: `2.92e+06` is 2920000. */
function plainNumber(text = ''): string {
  return /^\d(\.\d{1,5})?e\+0\d$/.test(text) ? new Big(text).toFixed() : text;
}

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { pExchSeg = '', pGroup = '', pTrdSymbol: symbol = '', pSymbolName = '', lExpiryDate = '', lPrecision = '' } = row;
  const segment = segments.get(pExchSeg);
  if (segment === undefined) return { skipped: 'other exchange' };
  const kind = kindOf(row, segment);
  const exchange = kind === 'INDEX' ? segment.index : segment.exchange;
  const index = kind === 'INDEX';
  const placed = /^\d$/.test(lPrecision);
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' ? symbol : pSymbolName || (index ? symbol : ''),
      series: pGroup,
      name: row.pDesc,
      expiry: segment.day && /^\d{9,10}$/.test(lExpiryDate) ? segment.day(Number(lExpiryDate)) : null,
      // The header ends that name so. A strike means nothing without its places.
      strike: placed ? plainNumber(row['dStrikePrice;'] ?? row.dStrikePrice) : '',
      strikePlaces: placed ? Number(lPrecision) : 0,
      tick: row.dTickSize,
      tickPlaces: 2,
      lot: row.lLotSize,
      freeze: segment.freezeInDoubt ? '' : row.lFreezeQty,
      isin: row.pISIN,
      symbol,
      // Quotes know indices by name alone: `nse_cm|Nifty 50`.
      token: index ? symbol : tokenNumber(row.pSymbol),
    },
    today,
  );
}

/** Kotak names its files after a login (`masterFiles`). Orders go by the trading symbol. */
export const master: Master = { files: null, read };
