import type { InstrumentKind } from '../../../contract/words.ts';
import type { Listed, Master, MasterExchange, MasterFields, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { istDay } from '../master-values.ts';

const segments: ReadonlyMap<string, MasterExchange> = new Map([
  ['NSE_EQ', 'NSE'],
  ['BSE_EQ', 'BSE'],
  ['NSE_FO', 'NFO'],
  ['BSE_FO', 'BFO'],
  ['MCX_FO', 'MCX'],
  ['NCD_FO', 'CDS'],
  ['BCD_FO', 'BCD'],
  ['NSE_COM', 'NCO'],
  ['NSE_INDEX', 'NSE_INDEX'],
  ['BSE_INDEX', 'BSE_INDEX'],
  ['MCX_INDEX', 'MCX_INDEX'],
]);
const contracts: ReadonlyMap<string, InstrumentKind> = new Map([
  ['FUT', 'FUT'],
  ['CE', 'CE'],
  ['PE', 'PE'],
]);

/** Upstox counts lots of commodities and contracts of currencies. */
const inLots: readonly (MasterExchange | undefined)[] = ['MCX', 'NCO', 'CDS', 'BCD'];
const cash: readonly MasterExchange[] = ['NSE', 'BSE'];

function kindOf(exchange: MasterExchange, type: string): InstrumentKind | undefined {
  if (cash.includes(exchange)) return 'EQ';
  if (exchange.endsWith('_INDEX')) return 'INDEX';
  return contracts.get(type);
}

/** Epoch milliseconds at the end of the last day in India. */
function expiryOf(text: string): string | null {
  return /^[1-9]\d{12}$/.test(text) ? istDay(Number(text)) : null;
}

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { segment = '', instrument_type = '', instrument_key: key = '', trading_symbol = '', name = '' } = row;
  const exchange = segments.get(segment);
  const kind = exchange && kindOf(exchange, instrument_type);
  const symbol = trading_symbol || (kind === 'INDEX' ? name : '');
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' || kind === 'INDEX' ? symbol : (row.underlying_symbol ?? ''),
      series: instrument_type,
      name,
      expiry: expiryOf(row.expiry ?? ''),
      strike: row.strike_price,
      // Paise, of currencies too.
      tick: row.tick_size,
      tickPlaces: 2,
      lot: row.lot_size,
      countsLots: inLots.includes(exchange),
      freeze: row.freeze_quantity,
      isin: row.isin,
      symbol,
      token: isKeyOf(segment, key) ? key : '',
    },
    today,
  );
}

/** `NSE_EQ|INE002A01018`, `NSE_INDEX|Nifty 50`: the segment of the row itself, one bar, and an id. */
function isKeyOf(segment: string, key: string): boolean {
  const [first, id, ...rest] = key.split('|');
  return first === segment && Boolean(id?.trim()) && rest.length === 0;
}

/** Upstox' list of all exchanges. Orders, prices and rows go by the instrument key; the trading symbol is written in several ways. */
export const master: Master = { files: [{ path: 'complete.json.gz', pack: 'gzip', form: 'json' }], read };
