import type { InstrumentKind } from '../../../contract/words.ts';
import type { Listed, Master, MasterExchange, MasterFields, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay, tokenNumber } from '../master-values.ts';

/** By `Exch` and `ExchType`, one letter each. */
const exchanges: ReadonlyMap<string, MasterExchange> = new Map([
  ['NC', 'NSE'],
  ['BC', 'BSE'],
  ['ND', 'NFO'],
  ['BD', 'BFO'],
  ['MD', 'MCX'],
  ['NU', 'CDS'],
  ['BU', 'BCD'],
]);
const indices: ReadonlyMap<string, MasterExchange> = new Map([
  ['NC', 'NSE_INDEX'],
  ['BC', 'BSE_INDEX'],
  ['MC', 'MCX_INDEX'],
]);
/** Cash codes above this are indices. */
const LAST_SHARE = 999_900;
/** Shares have been seen under both words. */
const shareTypes: readonly string[] = ['EQ', 'XX'];
const contractTypes: ReadonlyMap<string, InstrumentKind> = new Map([
  ['XX', 'FUT'],
  ['CE', 'CE'],
  ['PE', 'PE'],
]);

/** Where nobody says what a quantity counts, the most of one order is not known either. */
const unitInDoubt: readonly (string | undefined)[] = ['MCX', 'CDS', 'BCD'];

function kindOf(exchange: MasterExchange | undefined, type: string): InstrumentKind | undefined {
  if (exchange?.endsWith('_INDEX')) return 'INDEX';
  if (exchange === 'NSE' || exchange === 'BSE') return shareTypes.includes(type) ? 'EQ' : undefined;
  return contractTypes.get(type);
}

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { Exch = '', ExchType = '', Name: symbol = '', ScripType = '' } = row;
  const token = tokenNumber(row.ScripCode);
  const table = ExchType === 'C' && Number(token) > LAST_SHARE ? indices : exchanges;
  const exchange = table.get(Exch + ExchType);
  const kind = kindOf(exchange, ScripType);
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' || kind === 'INDEX' ? symbol : (row.SymbolRoot ?? ''),
      series: row.Series,
      name: row.FullName,
      expiry: calendarDay(row.Expiry),
      strike: row.StrikeRate,
      tick: row.TickSize,
      lot: row.LotSize,
      freeze: unitInDoubt.includes(exchange) ? '' : row.QtyLimit,
      isin: row.ISIN,
      symbol,
      token,
    },
    today,
  );
}

/** 5paisa's scrip master. Orders go by the scrip code within exchange and type; its rows print the name. A BFO contract may have several codes. */
export const master: Master = {
  files: [{ path: 'all', pack: 'gzip', form: 'csv' }],
  read,
  rank: ({ exchange, token }) => (exchange === 'BFO' ? Number(token) : null),
};
