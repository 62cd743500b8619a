import { numberToken } from '../instrument.ts';
import type { Listed, Master, MasterExchange, MasterFields, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay } from '../master-values.ts';

/** By `Exch` and `ExchType`, one letter each. */
const exchanges: Readonly<Record<string, MasterExchange>> = { NC: 'NSE', BC: 'BSE', ND: 'NFO', BD: 'BFO', MD: 'MCX', NU: 'CDS', BU: 'BCD' };
const indices: Readonly<Record<string, MasterExchange>> = { NC: 'NSE_INDEX', BC: 'BSE_INDEX', MC: 'MCX_INDEX' };
/** Cash codes above this are indices. */
const LAST_SHARE = 999_900;
/** Shares have been seen under both words. */
const shareTypes: readonly string[] = ['EQ', 'XX'];
const contractTypes: Readonly<Record<string, Listed['kind']>> = { XX: 'FUT', CE: 'CE', PE: 'PE' };

/** Where nobody says what a quantity counts, the most of one order is not known either. */
const unitInDoubt: readonly string[] = ['MCX', 'CDS', 'BCD'];

function kindOf(exchange: MasterExchange, type: string): Listed['kind'] | undefined {
  if (exchange.endsWith('_INDEX')) return 'INDEX';
  if (exchange === 'NSE' || exchange === 'BSE') return shareTypes.includes(type) ? 'EQ' : undefined;
  return Object.hasOwn(contractTypes, type) ? contractTypes[type] : undefined;
}

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { Exch = '', ExchType = '', Name: symbol = '', ScripType = '' } = row;
  const token = numberToken(row.ScripCode ?? '') ?? '';
  const table = ExchType === 'C' && Number(token) > LAST_SHARE ? indices : exchanges;
  const segment = Exch + ExchType;
  const exchange = Object.hasOwn(table, segment) ? table[segment] : undefined;
  if (exchange === undefined) return { skipped: 'other exchange' };
  const kind = kindOf(exchange, ScripType);
  if (kind === undefined) return { skipped: 'other kind' };
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' || kind === 'INDEX' ? symbol : (row.SymbolRoot ?? ''),
      series: row.Series ?? '',
      name: row.FullName ?? '',
      expiry: calendarDay(row.Expiry ?? ''),
      strike: row.StrikeRate ?? '',
      tick: row.TickSize ?? '',
      lot: row.LotSize ?? '',
      freeze: unitInDoubt.includes(exchange) ? '' : (row.QtyLimit ?? ''),
      isin: row.ISIN ?? '',
      symbol,
      token,
    },
    today,
  );
}

/** 5paisa's scrip master. Orders go by the scrip code within exchange and type; its rows print the name. */
export const master: Master = { files: [{ path: 'all', pack: 'gzip', form: 'csv' }], read };
