import type { BrokerId } from '../../contract/words.ts';
import { systemClock } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { createExchange } from '../../server/exchange/exchange.ts';
import { indices, instruments } from '../../server/exchange/instruments.ts';
import { asListed } from '../../server/exchange/listed.ts';
import type { Instrument, Listed } from '../../server/exchange/types.ts';
import { createFaults } from '../../server/exchange/wire/faults.ts';
import { serveEmulator } from '../../server/exchange/wire/server.ts';
import { silentLog } from '../../server/log.ts';

function one(exchange: Instrument['exchange'], kind: Instrument['kind'], underlying: string): Listed {
  const found = [...instruments, ...indices].find(
    (each) => each.exchange === exchange && each.kind === kind && each.underlying === underlying,
  );
  if (!found) throw new Error(`no ${kind} of ${underlying} on ${exchange}`);
  return asListed(found);
}

const share = one('NSE', 'EQ', 'RELIANCE');
const option = one('NFO', 'CE', 'NIFTY');
const crude = one('MCX', 'FUT', 'CRUDEOIL');
const sensex = one('BFO', 'PE', 'SENSEX');

/** Rows of autumn 2026 whose form in each file is known, beside those of indices. */
export const known = {
  reliance: share,
  nifty: { ...option, symbol: 'NIFTY26SEP29200CE', exchangeToken: 35_086, expiry: '2026-09-29', strike: '29200' },
  future: { ...one('NFO', 'FUT', 'NIFTY'), symbol: 'NIFTY26OCTFUT', exchangeToken: 49_001, expiry: '2026-10-27' },
  crude: { ...crude, symbol: 'CRUDEOIL26OCTFUT', exchangeToken: 569_900, expiry: '2026-10-19' },
  gold: { ...one('MCX', 'FUT', 'GOLDM'), symbol: 'GOLDM26OCTFUT', exchangeToken: 570_001, expiry: '2026-10-05' },
  crudeOption: { ...crude, kind: 'CE', symbol: 'CRUDEOIL26OCT5400CE', exchangeToken: 571_001, expiry: '2026-10-16', strike: '5400' },
  dollar: { ...one('CDS', 'FUT', 'USDINR'), symbol: 'USDINR26OCTFUT', exchangeToken: 1_284, expiry: '2026-10-28' },
  dollarCall: {
    ...one('CDS', 'FUT', 'USDINR'),
    kind: 'CE',
    symbol: 'USDINR26OCT104.25CE',
    exchangeToken: 1_300,
    expiry: '2026-10-28',
    strike: '104.25',
  },
  sensex: { ...sensex, symbol: 'SENSEX26SEP91000PE', exchangeToken: 837_931, expiry: '2026-09-24', strike: '91000' },
  bank: {
    ...share,
    symbol: 'CENTRALBK',
    underlying: 'CENTRALBK',
    name: 'CENTRAL BANK, INDIA',
    exchangeToken: 14_894,
    isin: 'INE483A01010',
    series: 'BE',
    tick: '0.01',
  },
  bse: { ...one('BSE', 'EQ', 'RELIANCE') },
  niftyIndex: one('NSE', 'INDEX', 'NIFTY'),
  sensexIndex: one('BSE', 'INDEX', 'SENSEX'),
} as const satisfies Record<string, Listed>;

export interface Served {
  /** Its own master address, and where it answers. */
  master: string;
  origin: string;
  switches: Record<string, boolean>;
  named(instrument: Instrument): { symbol: string; token: string };
  close(): Promise<void>;
}

/** One broker's emulator alone, with these rows in its master. */
export async function serveListing(id: BrokerId, listed: Iterable<Listed> = Object.values(known), clock = systemClock): Promise<Served> {
  const emulator = emulators.find((each) => each.id === id);
  if (!emulator) throw new Error(`no emulator of ${id}`);
  const log = silentLog();
  const traits = { [id]: emulator.traits };
  const exchange = createExchange({ clock, log, seed: 1, ledgerFile: undefined, traits });
  const server = await serveEmulator({
    emulator,
    exchange: { ...exchange, listed },
    faults: createFaults({ seed: 1 }),
    port: 0,
    limits: false,
    log,
  });
  return {
    master: emulator.urls(server.origin).master,
    origin: server.origin,
    switches: server.switches,
    named: emulator.named,
    close: () => server.close().then(() => exchange.close()),
  };
}

/** The lines of a text, the empty one after the last line end left out. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
