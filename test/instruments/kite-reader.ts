import type { InstrumentKind } from '../../contract/words.ts';
import { type Master, type MasterExchange, masterExchanges } from '../../server/brokers/master.ts';

/** The simplest of the ten formats, read for these tests alone. */
const indexVenues: Readonly<Record<string, MasterExchange>> = { NSE: 'NSE_INDEX', BSE: 'BSE_INDEX', MCX: 'MCX_INDEX' };
const kinds: Readonly<Record<string, InstrumentKind>> = { EQ: 'EQ', FUT: 'FUT', CE: 'CE', PE: 'PE' };

export const master: Master = {
  files: [{ path: 'instruments', pack: 'gzip', form: 'csv' }],
  read(row, _file, today) {
    const { tradingsymbol: symbol = '', instrument_type: type = '', expiry = '' } = row;
    if (row.name === 'THROW') throw new Error('a row that nobody thought of');
    const isIndex = row.segment === 'INDICES';
    const kind = isIndex ? 'INDEX' : kinds[type];
    const exchange = isIndex ? indexVenues[row.exchange ?? ''] : masterExchanges.find((one) => one === row.exchange);
    if (!kind || !exchange || symbol === '') return { skipped: 'no symbol' };
    if (expiry !== '' && expiry < today) return { skipped: 'expired' };
    const isContract = kind !== 'EQ' && kind !== 'INDEX';
    const [, root = symbol, series = 'EQ'] = (kind === 'EQ' && exchange === 'NSE' && /^(.+)-([A-Z0-9]{2})$/.exec(symbol)) || [];
    return {
      exchange,
      kind,
      root: isContract ? (row.name ?? '') : root,
      series: kind === 'EQ' && exchange === 'NSE' ? series : null,
      name: row.name || null,
      expiry: expiry === '' ? null : expiry,
      strike: kind === 'CE' || kind === 'PE' ? (row.strike ?? null) : null,
      lotSize: Number(row.lot_size),
      tickSize: row.tick_size ?? null,
      freezeQuantity: null,
      isin: null,
      brokerSymbol: symbol,
      token: row.instrument_token ?? '',
    };
  },
};
