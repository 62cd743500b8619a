import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emulators } from '../../server/exchange/emulators.ts';
import { generatedInstruments } from '../../server/exchange/generator.ts';
import { findInstrument, indices, instruments, instrumentsOn } from '../../server/exchange/instruments.ts';
import type { BrokerId, Instrument } from '../../server/exchange/types.ts';
import { type Started, startPractice } from './started.ts';

/** The instrument files of five brokers as their own readers find them: fetched over HTTP, without a login. */
let here: Started;
let large: Started;
const COUNT = 3_000;

beforeAll(async () => {
  [here, large] = await Promise.all([startPractice({ limits: true }), startPractice({ listed: COUNT })]);
});
afterAll(() => Promise.all([here.close(), large.close()]));

async function file(broker: BrokerId, name: string, from = here): Promise<string> {
  const answer = await fetch(`${from.urls[broker]?.master}/${name}`);
  expect(answer.status).toBe(200);
  return answer.text();
}
const linesOf = async (broker: BrokerId, name: string, from = here) => (await file(broker, name, from)).split('\n').filter(Boolean);
/** Cells between commas, quotes taken off. */
const cellsOf = (line: string) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain);
function named(broker: BrokerId, instrument: Instrument) {
  const emulator = emulators.find(({ id }) => id === broker);
  if (!emulator) throw new Error(broker);
  return emulator.named(instrument);
}
async function expectRows(broker: BrokerId, name: string, rows: readonly string[]): Promise<void> {
  const lines = await linesOf(broker, name);
  for (const row of rows) expect(lines).toContain(row);
}

const masters: Readonly<Partial<Record<BrokerId, { files: readonly string[]; columns: number; symbol: number; token: number }>>> = {
  aliceblue: { files: ['NSE.csv', 'BSE.csv', 'NFO.csv', 'BFO.csv', 'CDS.csv', 'MCX.csv'], columns: 14, symbol: 10, token: 4 },
  dhan: { files: ['api-scrip-master.csv'], columns: 16, symbol: 5, token: 2 },
  fyers: {
    files: ['NSE_CM', 'NSE_FO', 'NSE_CD', 'NSE_COM', 'BSE_CM', 'BSE_FO', 'MCX_COM'].map((each) => `${each}.csv`),
    columns: 21,
    symbol: 9,
    token: 0,
  },
  groww: { files: ['instrument.csv'], columns: 21, symbol: 2, token: 1 },
};

describe.each(Object.entries(masters))('the files of %s', (id, { files, columns, symbol, token }) => {
  const broker = id as BrokerId;
  const all = async (from: Started) => (await Promise.all(files.map((name) => linesOf(broker, name, from)))).flat().map(cellsOf);

  test('have so many columns, also with commas in names', async () => {
    const rows = await all(large);
    expect(new Set(rows.map((cells) => cells.length))).toEqual(new Set([columns]));
    expect(rows.length).toBeGreaterThan(COUNT * 0.9);
    expect(rows.some((cells) => cells.some((cell) => cell?.includes(', LTD')))).toBe(true);
  });
  test('name every instrument as orders do', async () => {
    // Alice Blue's file has the series behind a share, its orders do not.
    const plain = (text = '') => (broker === 'aliceblue' ? text.replace(/-(EQ|BE)$/, '') : text);
    const rows = new Set((await all(here)).map((cells) => `${cells[token]} ${plain(cells[symbol])}`));
    const offered = instruments.filter(({ exchange }) => broker !== 'groww' || exchange !== 'CDS');
    const missing = offered.map((one) => named(broker, one)).filter((one) => !rows.has(`${one.token} ${one.symbol}`));
    expect(missing).toEqual([]);
    if (broker === 'aliceblue') return;
    for (const { token: given, symbol: called } of indices.map((one) => named(broker, one))) expect(rows).toContain(`${given} ${called}`);
  });
  test('hold the rows a reader leaves out', async () => {
    const text = (await Promise.all(files.map((name) => file(broker, name)))).join('');
    for (const odd of ['011NSETEST', '716GJ31', /NIFTY(27OCT26|26OCT|-Oct2026)/]) expect(text).toMatch(odd);
  });
});

describe('rows are printed as', () => {
  test('Alice Blue does', async () => {
    await expectRows('aliceblue', 'NSE.csv', [
      'Exch,Exchange Segment,Group Name,Symbol,Token,Instrument Type,Option Type,Strike Price,Instrument Name,Formatted Ins Name,Trading Symbol,Expiry Date,Lot Size,Tick Size',
      'NSE,nse_cm,EQ,RELIANCE,2885,,,,RELIANCE INDUSTRIES,RELIANCE,RELIANCE-EQ,,1,0.1',
    ]);
    const option = 'NFO,nse_fo,,NIFTY,48003,OPTIDX,CE,26000,NIFTY,NIFTY 29DEC26 26000 CE,NIFTY29DEC26C26000,2026-12-29,65,0.05';
    await expectRows('aliceblue', 'NFO.csv', [option]);
    const future = 'MCX,mcx_fo,,CRUDEOIL,464101,FUTCOM,XX,,CRUDEOIL,CRUDEOIL 18DEC26 FUT,CRUDEOIL18DEC26,2026-12-18,1,1';
    await expectRows('aliceblue', 'MCX.csv', [future]);
    await expectRows('aliceblue', 'INDICES.csv', ['symbol,exch,token', 'Nifty 50,NSE,26000', 'SENSEX,BSE,1']);
  });
  test('Angel One does', async () => {
    const rows = JSON.parse(await file('angelone', 'OpenAPIScripMaster.json'));
    const row = (values: string) => {
      const [token, symbol, name, expiry, strike, lotsize, instrumenttype, exch_seg, tick_size] = values.split(',');
      return { token, symbol, name, expiry, strike, lotsize, instrumenttype, exch_seg, tick_size };
    };
    for (const values of [
      '2885,RELIANCE-EQ,RELIANCE,,-1.000000,1,,NSE,10.000000',
      '48003,NIFTY29DEC2626000CE,NIFTY,29DEC2026,2600000.000000,65,OPTIDX,NFO,5.000000',
      '464101,CRUDEOIL18DEC26FUT,CRUDEOIL,18DEC2026,-1.000000,100,FUTCOM,MCX,100.000000',
      '10901,USDINR29DEC26FUT,USDINR,29DEC2026,-1.000000,1,FUTCUR,CDS,25000.000000',
      '99926000,Nifty 50,NIFTY,,0.000000,1,AMXIDX,NSE,0.000000',
      '22901,716GJ31-SG,716GJ31,,-1.000000,100,,NSE,1.000000',
    ])
      expect(rows).toContainEqual(row(values));
    const pairs = new Set(rows.map((one: { token: string; symbol: string }) => `${one.token} ${one.symbol}`));
    for (const one of [...instruments, ...indices].map((each) => named('angelone', each)))
      expect(pairs).toContain(`${one.token} ${one.symbol}`);
  });
  test('Dhan does, compact and detailed', async () => {
    await expectRows('dhan', 'api-scrip-master.csv', [
      'NSE,E,2885,EQUITY,0,RELIANCE,1.0,RELIANCE INDUSTRIES,,,,10.0000,NA,ES,EQ,RELIANCE INDUSTRIES',
      'NSE,D,48003,OPTIDX,0,NIFTY-Dec2026-26000-CE,65.0,NIFTY 29 DEC 26000 CALL,2026-12-29 14:30:00,26000.00000,CE,5.0000,M,OP,NA,NIFTY',
      'MCX,M,464101,FUTCOM,0,CRUDEOIL-18Dec2026-FUT,1.0,CRUDEOIL 18 DEC FUT,2026-12-18 23:30:00,0.00000,XX,100.0000,M,FUT,NA,CRUDEOIL',
      'NSE,I,13,INDEX,0,NIFTY,1.0,Nifty 50,,,,5.0000,NA,INDEX,X,Nifty 50',
    ]);
    const [header, ...rows] = (await linesOf('dhan', 'api-scrip-master-detailed.csv')).map(cellsOf);
    const row = rows.find((cells) => cells[2] === '48003') ?? [];
    const detail = Object.fromEntries((header ?? []).map((name, index) => [name, row[index]]));
    expect(detail).toMatchObject({ UNDERLYING_SYMBOL: 'NIFTY', SM_EXPIRY_DATE: '2026-12-29', SM_FREEZE_QTY: '1800', LOT_SIZE: '65.0' });
    const index = rows.find((cells) => cells[2] === '13') ?? [];
    expect(index).toContain('0001-01-01');
  });
  test('FYERS does', async () => {
    const today = new Date(Date.now() + 19_800_000).toISOString().slice(0, 10);
    const equity = `10100000002885,RELIANCE INDUSTRIES,0,1,0.1,INE002A01018,0915-1530|1815-1915:,${today},,NSE:RELIANCE-EQ,10,10,2885,RELIANCE,2885,-1.0,XX,10100000002885,None,0,0.0`;
    await expectRows('fyers', 'NSE_CM.csv', [equity]);
    const option = `101126122948003,NIFTY 29 Dec 26 26000 CE,14,65,0.05,,0915-1540|1815-1915:,${today},1798539000,NSE:NIFTY26DEC26000CE,10,11,48003,NIFTY,26000,26000.0,CE,101000000026000,None,0,0.0`;
    await expectRows('fyers', 'NSE_FO.csv', [option]);
    const future = `1120261218464101,CRUDEOIL 18 Dec 26 FUT,30,1,1.0,,0900-2330|1815-1915:,${today},1797616800,MCX:CRUDEOIL26DECFUT,11,20,464101,CRUDEOIL,464101,-1.0,XX,1120261218464101,None,0,0.0`;
    await expectRows('fyers', 'MCX_COM.csv', [future]);
    expect((await linesOf('fyers', 'NSE_CM.csv')).find((line) => line.includes('NSE:NIFTY50-INDEX'))).toMatch(
      /^101000000026000,Nifty 50,10,/,
    );
    expect(await file('fyers', 'NSE_COM.csv')).toBe('');
  });
  test('Groww does', async () => {
    await expectRows('groww', 'instrument.csv', [
      'NSE,2885,RELIANCE,NSE-RELIANCE,RELIANCE INDUSTRIES,EQ,CASH,EQ,INE002A01018,,,,,1,0.1,,0,1,1,RELIANCE,1',
      'NSE,48003,NIFTY26DEC26000CE,NSE-NIFTY-29Dec26-26000-CE,NIFTY,CE,FNO,,,NIFTY,NIFTY,2026-12-29,26000,65,0.05,1800,0,1,1,NIFTY26DEC26000CE,1',
      'MCX,464101,CRUDEOIL26DECFUT,MCX-CRUDEOIL-18Dec26-FUT,CRUDEOIL,FUT,COMMODITY,,,CRUDEOIL,,2026-12-18,,100,1,1000000,0,1,1,CRUDEOIL26DECFUT,1',
      'NSE,NIFTY,NIFTY,NSE-NIFTY,Nifty 50,IDX,CASH,,,,,,NaN,1,NaN,,0,0,0,NIFTY,0',
      'BSE,1,SENSEX,BSE-SENSEX,SENSEX,IDX,CASH,,,,,,NaN,1,NaN,,0,0,0,SENSEX,0',
    ]);
    const bonds = (await linesOf('groww', 'instrument.csv')).filter((line) => line.includes(',716GJ31,'));
    expect(bonds).toHaveLength(2);
  });
});

test('files on the API itself count within its limits, those of other hosts do not', async () => {
  const statuses = async (broker: BrokerId, name: string) => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(`${here.urls[broker]?.master}/${name}`)));
    await Promise.all(answers.map((answer) => answer.text()));
    return new Set(answers.map(({ status }) => status));
  };
  expect(await statuses('zerodha', 'instruments/BSE')).toContain(429);
  expect(await statuses('fyers', 'BSE_CM.csv')).toEqual(new Set([200]));
});

describe('generated rows', () => {
  test('are the same for the same seed, and unique', () => {
    const made = [...generatedInstruments(5_000, 11)];
    expect(made).toEqual([...generatedInstruments(5_000, 11)]);
    expect(made).not.toEqual([...generatedInstruments(5_000, 12)]);
    expect(made).toHaveLength(5_000);
    expect(new Set(made.map((one) => `${one.exchange} ${one.symbol}`)).size).toBe(5_000);
    expect(new Set(made.map((one) => `${one.exchange} ${one.exchangeToken}`)).size).toBe(5_000);
    expect(made.some((one) => findInstrument(one.exchange, one.symbol))).toBe(false);
  });
  test('are listed once asked for, come again from what was kept, and are not traded', async () => {
    const first = await file('angelone', 'OpenAPIScripMaster.json', large);
    expect(JSON.parse(first)).toHaveLength([...here.exchange.listed].length + COUNT);
    expect(await file('angelone', 'OpenAPIScripMaster.json', large)).toBe(first);
    const [made] = generatedInstruments(1, 1);
    const placed = large.exchange.placeByHand('zerodha', {
      exchange: 'NSE',
      symbol: made?.symbol ?? '',
      side: 'BUY',
      orderType: 'MARKET',
      product: 'INTRADAY',
      quantity: 1,
    });
    expect(placed).toMatchObject({ ok: false, refusal: { code: 'INSTRUMENT' } });
  });
});

describe('contract months', () => {
  const expiries = (today: string) => {
    const contracts = instrumentsOn(today).filter(
      (one) => one.kind === 'FUT' && ['NIFTY', 'SENSEX', 'CRUDEOIL', 'USDINR'].includes(one.underlying),
    );
    return contracts.map((one) => `${one.symbol} ${one.expiry} ${one.exchangeToken}`);
  };
  test.each([
    [
      '2026-11-23',
      [
        'NIFTY26DECFUT 2026-12-29 47001',
        'NIFTY27JANFUT 2027-01-25 47002',
        'SENSEX26DECFUT 2026-12-31 861201',
        'CRUDEOIL27JANFUT 2027-01-19 464102',
        'USDINR26DECFUT 2026-12-29 10901',
        'USDINR27JANFUT 2027-01-27 10902',
      ],
    ],
    ['2026-12-31', ['NIFTY26DECFUT 2026-12-29 47001', 'CRUDEOIL26DECFUT 2026-12-18 464101', 'SENSEX27JANFUT 2027-01-28 861202']],
    [
      '2027-01-29',
      [
        'NIFTY27FEBFUT 2027-02-23 47001',
        'NIFTY27MARFUT 2027-03-30 47002',
        'SENSEX27FEBFUT 2027-02-25 861201',
        'CRUDEOIL27FEBFUT 2027-02-19 464101',
        'USDINR27FEBFUT 2027-02-24 10901',
      ],
    ],
    [
      '2027-12-30',
      [
        'NIFTY28JANFUT 2028-01-25 47002',
        'NIFTY28FEBFUT 2028-02-29 47001',
        'SENSEX27DECFUT 2027-12-30 861201',
        'SENSEX28JANFUT 2028-01-27 861202',
        'CRUDEOIL28JANFUT 2028-01-19 464102',
      ],
    ],
  ])('on %s are the nearest two of each exchange, and keep their tokens', (today, expected) => {
    const found = expiries(today);
    expect(found).toHaveLength(8);
    for (const one of expected) expect(found).toContain(one);
  });
  test('none has expired from 2027 on, whatever the day', () => {
    for (let at = Date.parse('2027-01-01'); at < Date.parse('2028-03-01'); at += 86_400_000) {
      const today = new Date(at).toISOString().slice(0, 10);
      const dead = instrumentsOn(today).filter((one) => one.expiry !== null && one.expiry < today);
      expect(
        dead.map((one) => one.symbol),
        today,
      ).toEqual([]);
    }
  });
});
