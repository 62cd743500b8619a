import { tradingDay } from '../../clock.ts';
import { numberToken } from '../instrument.ts';
import type { Listed, Master, MasterExchange, MasterFields, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay } from '../master-values.ts';

/** Seconds between 1970 and 1980, less those that make its days end at 14:30 in India. */
const NSE_EPOCH_S = 315_513_000;
const utcDay = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10);
const istDay = (seconds: number) => tradingDay(seconds * 1_000);
const nseDay = (seconds: number) => istDay(seconds + NSE_EPOCH_S);

interface Segment {
  exchange: MasterExchange;
  /** The exchange of its indices. */
  index?: MasterExchange;
  /** How `lExpiryDate` counts. */
  day?(seconds: number): string;
  /** Nobody says what `lFreezeQty` counts there. */
  freezeInDoubt?: boolean;
}

const segments: Readonly<Record<string, Segment>> = {
  nse_cm: { exchange: 'NSE', index: 'NSE_INDEX' },
  bse_cm: { exchange: 'BSE', index: 'BSE_INDEX' },
  nse_fo: { exchange: 'NFO', day: nseDay },
  bse_fo: { exchange: 'BFO', day: istDay },
  cde_fo: { exchange: 'CDS', day: nseDay, freezeInDoubt: true },
  // The last second of the day of UTC: in India it is the next day's already.
  mcx_fo: { exchange: 'MCX', day: utcDay, freezeInDoubt: true },
};

/** FUTIDX, FUTCOM, ... and BSE's own words. */
const futures = /^(FUT[A-Z]{3}|IF|SF)$/;
const options = /^(OPT[A-Z]{3}|IO|SO)$/;
const noSide: readonly string[] = ['', 'XX'];

function kindOf(row: MasterFields, segment: Segment): Listed['kind'] | undefined {
  const { pInstType = '', pOptionType = '', pISIN = '' } = row;
  if (segment.day === undefined) return pISIN === '' && /^-1(\.0+)?$/.test(row.dTickSize ?? '') ? 'INDEX' : 'EQ';
  if (futures.test(pInstType)) return noSide.includes(pOptionType) ? 'FUT' : undefined;
  if (!options.test(pInstType)) return undefined;
  return pOptionType === 'CE' || pOptionType === 'PE' ? pOptionType : undefined;
}

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { pExchSeg = '', pGroup = '', pTrdSymbol: symbol = '', pSymbolName = '', lExpiryDate = '', lPrecision = '' } = row;
  const segment = Object.hasOwn(segments, pExchSeg) ? segments[pExchSeg] : undefined;
  if (segment === undefined) return { skipped: 'other exchange' };
  const kind = kindOf(row, segment);
  const exchange = kind === 'INDEX' ? segment.index : segment.exchange;
  if (kind === undefined || exchange === undefined) return { skipped: 'other kind' };
  const option = kind === 'CE' || kind === 'PE';
  if (option && !/^\d$/.test(lPrecision)) return { skipped: 'unreadable strike' };
  const index = kind === 'INDEX';
  const suffix = `-${pGroup}`;
  const share = pGroup !== '' && symbol.endsWith(suffix) ? symbol.slice(0, -suffix.length) : symbol;
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' ? share : pSymbolName || (index ? symbol : ''),
      series: pGroup,
      name: row.pDesc ?? '',
      expiry: segment.day && /^\d{9,10}$/.test(lExpiryDate) ? calendarDay(segment.day(Number(lExpiryDate))) : null,
      // The header ends that name so.
      strike: row['dStrikePrice;'] ?? row.dStrikePrice ?? '',
      strikePlaces: Number(lPrecision),
      tick: row.dTickSize ?? '',
      tickPlaces: 2,
      lot: row.lLotSize ?? '',
      freeze: segment.freezeInDoubt ? '' : (row.lFreezeQty ?? ''),
      isin: row.pISIN ?? '',
      symbol,
      // Quotes know indices by name alone: `nse_cm|Nifty 50`.
      token: index ? symbol : (numberToken(row.pSymbol ?? '') ?? ''),
    },
    today,
  );
}

/** Kotak names its files after a login (`masterFiles`). Orders go by the trading symbol. */
export const master: Master = { files: null, read };
