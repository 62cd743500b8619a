import { gunzipSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { tradingDay } from '../../server/clock.ts';
import { credentials as kotakLogin } from '../../server/exchange/kotak/login.ts';
import { known, linesOf, type Served, serveListing } from './listing.ts';
import { manualClock } from './manual-clock.ts';

/** Instrument masters as five brokers print them: rows whose form is known, fetched over HTTP. */

const served: Served[] = [];
afterAll(() => Promise.all(served.map((each) => each.close())));

async function serve(...of: Parameters<typeof serveListing>): Promise<Served> {
  const one = await serveListing(...of);
  served.push(one);
  return one;
}

async function bytesOf(address: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const answer = await fetch(address, { headers });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

const textOf = async (address: string, headers: Record<string, string> = {}) => (await bytesOf(address, headers)).toString();

describe('zerodha', async () => {
  const here = await serve('zerodha');

  test('lists all of it, or one exchange', async () => {
    expect(linesOf(await textOf(`${here.master}/instruments`))).toEqual([
      'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange',
      '738561,2885,RELIANCE,"RELIANCE INDUSTRIES",0,,0,0.1,1,EQ,NSE,NSE',
      '8982018,35086,NIFTY26SEP29200CE,"NIFTY",0,2026-09-29,29200,0.05,65,CE,NFO-OPT,NFO',
      '12544258,49001,NIFTY26OCTFUT,"NIFTY",0,2026-10-27,0,0.1,65,FUT,NFO-FUT,NFO',
      '145894407,569900,CRUDEOIL26OCTFUT,"CRUDEOIL",0,2026-10-19,0,1,1,FUT,MCX-FUT,MCX',
      '145920263,570001,GOLDM26OCTFUT,"GOLDM",0,2026-10-05,0,1,1,FUT,MCX-FUT,MCX',
      '146176263,571001,CRUDEOIL26OCT5400CE,"CRUDEOIL",0,2026-10-16,5400,1,1,CE,MCX-OPT,MCX',
      '328707,1284,USDINR26OCTFUT,"USDINR",0,2026-10-28,0,0.0025,1,FUT,CDS-FUT,CDS',
      '332803,1300,USDINR26OCT104.25CE,"USDINR",0,2026-10-28,104.25,0.0025,1,CE,CDS-OPT,CDS',
      '214510341,837931,SENSEX26SEP91000PE,"SENSEX",0,2026-09-24,91000,0.05,20,PE,BFO-OPT,BFO',
      '3812865,14894,CENTRALBK-BE,"CENTRAL BANK, INDIA",0,,0,0.01,1,EQ,NSE,NSE',
      '128083204,500325,RELIANCE,"RELIANCE INDUSTRIES",0,,0,0.1,1,EQ,BSE,BSE',
      '256265,1001,NIFTY 50,"NIFTY 50",0,,0,0,0,EQ,INDICES,NSE',
      '265,1,SENSEX,"SENSEX",0,,0,0,0,EQ,INDICES,BSE',
    ]);
    expect(linesOf(await textOf(`${here.master}/instruments/BSE`))).toHaveLength(3);
  });

  test('packs it for who takes it so, and needs no login', async () => {
    const packed = await fetch(`${here.master}/instruments/NFO`);
    expect(Object.fromEntries(packed.headers)).toMatchObject({ 'content-type': 'text/csv', 'content-encoding': 'gzip' });
    const plain = await fetch(`${here.master}/instruments/NFO`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await packed.text());
  });
});

describe('fivepaisa', async () => {
  const here = await serve('fivepaisa');
  const name = (text: string) => text.padEnd(50);

  test('prints every segment in one form, names filled up with blanks', async () => {
    const answer = await fetch(`${here.master}/all`);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(linesOf(await answer.text())).toEqual([
      'Exch,ExchType,ScripCode,Name,Expiry,ScripType,StrikeRate,FullName,TickSize,LotSize,QtyLimit,Multiplier,SymbolRoot,BOCOAllowed,ISIN,ScripData,Series',
      `N,C,2885,${name('RELIANCE')},1980-01-01 00:00:00,EQ,0,RELIANCE INDUSTRIES,0.1,1,0,1,RELIANCE,N,INE002A01018,RELIANCE_EQ,EQ  `,
      `N,D,35086,${name('NIFTY 29 Sep 2026 CE 29200.00')},2026-09-29 14:30:00,CE,29200,NIFTY,0.05,65,1800,1,NIFTY,N,,NIFTY 29 Sep 2026 CE 29200.00_20260929_CE_29200,XX  `,
      `N,D,49001,${name('NIFTY 27 Oct 2026')},2026-10-27 14:30:00,XX,0,NIFTY,0.1,65,1800,1,NIFTY,N,,NIFTY 27 Oct 2026_20261027,XX  `,
      `M,D,569900,${name('CRUDEOIL 19 Oct 2026')},2026-10-19 23:30:00,XX,0,CRUDEOIL,1,1,10000,100,CRUDEOIL,N,,CRUDEOIL 19 Oct 2026_20261019,XX  `,
      `M,D,570001,${name('GOLDM 05 Oct 2026')},2026-10-05 23:30:00,XX,0,GOLDM,1,1,10000,10,GOLDM,N,,GOLDM 05 Oct 2026_20261005,XX  `,
      `M,D,571001,${name('CRUDEOIL 16 Oct 2026 CE 5400.00')},2026-10-16 23:30:00,CE,5400,CRUDEOIL,1,1,10000,100,CRUDEOIL,N,,CRUDEOIL 16 Oct 2026 CE 5400.00_20261016_CE_5400,XX  `,
      `N,U,1284,${name('USDINR 28 Oct 2026')},2026-10-28 12:30:00,XX,0,USDINR,0.0025,1,10000,1000,USDINR,N,,USDINR 28 Oct 2026_20261028,XX  `,
      `N,U,1300,${name('USDINR 28 Oct 2026 CE 104.25')},2026-10-28 12:30:00,CE,104.25,USDINR,0.0025,1,10000,1000,USDINR,N,,USDINR 28 Oct 2026 CE 104.25_20261028_CE_104.25,XX  `,
      // One contract of BFO under a second, lower code.
      ...['737931', '837931'].map(
        (code) =>
          `B,D,${code},${name('SENSEX 24 Sep 2026 PE 91000.00')},2026-09-24 14:30:00,PE,91000,SENSEX,0.05,20,1000,1,SENSEX,N,,SENSEX 24 Sep 2026 PE 91000.00_20260924_PE_91000,XX  `,
      ),
      `N,C,14894,${name('CENTRALBK')},1980-01-01 00:00:00,EQ,0,"CENTRAL BANK, INDIA",0.01,1,0,1,CENTRALBK,N,INE483A01010,CENTRALBK_BE,BE  `,
      `B,C,500325,${name('RELIANCE')},1980-01-01 00:00:00,XX,0,RELIANCE INDUSTRIES,0.1,1,0,1,RELIANCE,N,INE002A01018,RELIANCE_EQ,EQ  `,
      `N,C,999920000,${name('NIFTY')},1980-01-01 00:00:00,EQ,0,Nifty 50,0.05,1,0,1,NIFTY,N,,NIFTY,EQ  `,
      `B,C,999901,${name('SENSEX')},1980-01-01 00:00:00,XX,0,SENSEX,0.05,1,0,1,SENSEX,N,,SENSEX,EQ  `,
    ]);
  });

  test.each([
    ['nse_eq', 4],
    ['bse_eq', 3],
    ['nse_fo', 3],
    ['bse_fo', 3],
    ['ncd_fo', 3],
    ['mcx_fo', 4],
  ])('has a file of %s', async (segment, lines) => {
    expect(linesOf(await textOf(`${here.master}/${segment}`))).toHaveLength(lines);
  });

  test('may not have it ready, which it says under 200, and knows no other segment', async () => {
    here.switches.noMaster = true;
    expect(await textOf(`${here.master}/nse_fo`)).toBe("Cache not available for segment 'nse_fo'. Retry after some time.");
    here.switches.noMaster = false;
    const unknown = await fetch(`${here.master}/nse_com`);
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining("Invalid segment 'nse_com'")]);
  });
});

describe('shoonya', async () => {
  const here = await serve('shoonya');
  const cash = 'Exchange,Token,LotSize,Symbol,TradingSymbol,Instrument,TickSize,';
  const contracts = 'Symbol,TradingSymbol,Expiry,Instrument,OptionType,StrikePrice,TickSize,';

  test.each<[string, string[]]>([
    [
      'NSE',
      [
        cash,
        'NSE,2885,1,RELIANCE,RELIANCE-EQ,EQ,0.1,',
        'NSE,14894,1,CENTRALBK,CENTRALBK-BE,BE,0.01,',
        'NSE,26000,1,Nifty 50,NIFTY INDEX,INDEX,0,',
      ],
    ],
    // Without the indices.
    ['BSE', [cash, 'BSE,500325,1,RELIANCE,RELIANCE,A,0.1,']],
    [
      'NFO',
      [
        `Exchange,Token,LotSize,${contracts}`,
        'NFO,35086,65,NIFTY,NIFTY29SEP26C29200,29-SEP-2026,OPTIDX,CE,29200,0.05,',
        'NFO,49001,65,NIFTY,NIFTY27OCT26F,27-OCT-2026,FUTIDX,XX,0,0.1,',
      ],
    ],
    ['BFO', [`Exchange,Token,LotSize,${contracts}`, 'BFO,837931,20,BSXOPT,SENSEX26SEP91000PE,24-SEP-2026,OPTIDX,PE,91000,0.05,']],
    [
      'CDS',
      [
        `Exchange,Token,LotSize,Precision,Multiplier,${contracts}`,
        'CDS,1,1,4,1000,USDINR,USDINR,,UNDCUR,XX,0,0.0025,',
        'CDS,1284,1,4,1000,USDINR,USDINR28OCT26F,28-OCT-2026,FUTCUR,XX,0,0.0025,',
        'CDS,1300,1,4,1000,USDINR,USDINR28OCT26C104.25,28-OCT-2026,OPTCUR,CE,104.25,0.0025,',
      ],
    ],
    [
      'MCX',
      [
        `Exchange,Token,LotSize,GNGD,${contracts}`,
        'MCX,569900,100,1,CRUDEOIL,CRUDEOIL19OCT26,19-OCT-2026,FUTCOM,XX,0,1,',
        'MCX,570001,100,0.1,GOLDM,GOLDM05OCT26,05-OCT-2026,FUTCOM,XX,0,1,',
        'MCX,571001,100,1,CRUDEOIL,CRUDEOIL16OCT26C5400,16-OCT-2026,OPTFUT,CE,5400,1,',
      ],
    ],
  ])('%s is a zip of one file', async (exchange, lines) => {
    const files = unzipSync(await bytesOf(`${here.master}/${exchange}_symbols.txt.zip`));
    expect(Object.entries(files).map(([name, bytes]) => [name, linesOf(strFromU8(bytes))])).toEqual([[`${exchange}_symbols.txt`, lines]]);
  });
});

describe('upstox', async () => {
  const here = await serve('upstox');
  const unpacked = async (file: string) => gunzipSync(await bytesOf(`${here.master}/${file}.json.gz`)).toString();

  test('prints numbers with a fraction where there may be one, ticks in paise, expiries as the last second of the day', async () => {
    const text = await unpacked('complete');
    const rows = z.array(z.looseObject({ instrument_key: z.string() })).parse(JSON.parse(text));
    expect(rows).toHaveLength(Object.keys(known).length);
    const row = (key: string) => linesOf(text).find((line) => line.includes(`"instrument_key":"${key}"`)) ?? '';
    const printed = (key: string, names: readonly string[]) => names.map((name) => new RegExp(`"${name}":([^,}]+)`).exec(row(key))?.[1]);
    const numbers = ['trading_symbol', 'lot_size', 'tick_size', 'strike_price', 'expiry', 'freeze_quantity', 'qty_multiplier'] as const;
    expect(printed('NSE_EQ|INE002A01018', numbers)).toEqual(['"RELIANCE"', '1', '10.0', undefined, undefined, '100000.0', '1.0']);
    expect(printed('NSE_FO|35086', numbers)).toEqual([
      '"NIFTY 29200 CE 29 SEP 26"',
      '65',
      '5.0',
      '29200.0',
      '1790706599000',
      '1800.0',
      '1.0',
    ]);
    expect(printed('MCX_FO|569900', numbers)).toEqual([
      '"CRUDEOIL FUT 19 OCT 26"',
      '100',
      '100.0',
      '0.0',
      '1792434599000',
      '1000000.0',
      '1.0',
    ]);
    expect(printed('NCD_FO|1300', numbers)).toEqual([
      '"USDINR 104.25 CE 28 OCT 26"',
      '1',
      '0.25',
      '104.25',
      '1793212199000',
      '10000.0',
      '1000.0',
    ]);
    const words = [
      'segment',
      'exchange',
      'instrument_type',
      'exchange_token',
      'underlying_symbol',
      'underlying_key',
      'weekly',
      'name',
    ] as const;
    expect(printed('NSE_FO|35086', words)).toEqual([
      '"NSE_FO"',
      '"NSE"',
      '"CE"',
      '"35086"',
      '"NIFTY"',
      '"NSE_INDEX|Nifty 50"',
      'false',
      '"NIFTY"',
    ]);
    expect(printed('MCX_FO|569900', words).slice(2)).toEqual(['"FUT"', '"569900"', '"CRUDEOIL"', undefined, 'false', '"CRUDE OIL"']);
    expect(printed('NSE_EQ|INE483A01010', words).slice(0, 4)).toEqual(['"NSE_EQ"', '"NSE"', '"BE"', '"14894"']);
    expect(printed('BSE_EQ|INE002A01018', words).slice(0, 4)).toEqual(['"BSE_EQ"', '"BSE"', '"A"', '"500325"']);
    expect(JSON.parse(row('NSE_INDEX|Nifty 50').replace(/,$/, ''))).toEqual({
      segment: 'NSE_INDEX',
      name: 'Nifty 50',
      exchange: 'NSE',
      instrument_type: 'INDEX',
      instrument_key: 'NSE_INDEX|Nifty 50',
      exchange_token: '26000',
      trading_symbol: 'NIFTY',
    });
  });

  test.each([
    ['NSE', ['NCD_FO', 'NSE_EQ', 'NSE_FO', 'NSE_INDEX']],
    ['BSE', ['BSE_EQ', 'BSE_FO', 'BSE_INDEX']],
    ['MCX', ['MCX_FO']],
  ])('the file of %s has its segments', async (file, segments) => {
    const rows = z.array(z.looseObject({ segment: z.string() })).parse(JSON.parse(await unpacked(file)));
    expect([...new Set(rows.map((row) => row.segment))].sort()).toEqual(segments);
  });
});

describe('kotak', async () => {
  const here = await serve('kotak');
  const listAddress = `${here.master}/script-details/1.0/masterscrip/file-paths`;
  const token = { Authorization: kotakLogin.ACCESS_TOKEN };
  const Paths = z.object({ data: z.object({ filesPaths: z.array(z.string()), baseFolder: z.string() }) });
  const paths = async () => Paths.parse(await (await fetch(listAddress, { headers: token })).json()).data;
  async function rowsOf(file: string): Promise<Record<string, string>[]> {
    const address = (await paths()).filesPaths.find((each) => each.endsWith(`/${file}.csv`)) ?? '';
    const [header = '', ...lines] = linesOf(await textOf(address));
    const columns = header.split(',');
    expect(columns).toHaveLength(79);
    expect(columns).toEqual(expect.arrayContaining(['dTickSize ', 'lExpiryDate ', 'lMultiplier ', 'dStrikePrice;', 'lLotSize', 'dGenDen']));
    const cells = lines.map((line) => line.replace('"CENTRAL BANK, INDIA"', 'CENTRAL BANK').split(','));
    for (const each of cells) expect(each).toHaveLength(79);
    return cells.map((each) => Object.fromEntries(columns.map((column, index) => [column, each[index] ?? ''])));
  }
  const shown = ['pSymbol', 'pGroup', 'pInstType', 'pSymbolName', 'pTrdSymbol', 'pOptionType', 'pISIN', 'dTickSize ', 'lLotSize'] as const;
  const sized = ['lExpiryDate ', 'dStrikePrice;', 'lMultiplier ', 'lPrecision', 'dGenNum', 'dGenDen', 'lFreezeQty'] as const;
  const table = async (file: string) => (await rowsOf(file)).map((row) => [...shown, ...sized].map((name) => row[name]).join(' '));

  test('names its files where it answers itself, for who has the access token', async () => {
    const { filesPaths, baseFolder } = await paths();
    expect(baseFolder).toBe(`${here.origin}/wso2-scripmaster/v1/prod`);
    const day = tradingDay(Date.now());
    expect(filesPaths.sort()).toEqual(
      [
        ...['bse_fo', 'cde_fo', 'mcx_fo', 'nse_com', 'nse_fo'].map((file) => `transformed/${file}`),
        ...['bse_cm', 'nse_cm'].map((file) => `transformed-v1/${file}-v1`),
      ]
        .map((file) => `${baseFolder}/${day}/${file}.csv`)
        .sort(),
    );
    expect((await fetch(listAddress)).status).toBe(401);
  });

  test.each<[string, string[]]>([
    [
      'nse_fo',
      [
        '35086 XX OPTIDX NIFTY NIFTY26SEP29200CE CE  5 65 1475159400 2.92e+06 -1 2 1 1 1800',
        '49001 XX FUTIDX NIFTY NIFTY26OCTFUT XX  10 65 1477578600 -1 -1 2 1 1 1800',
      ],
    ],
    ['bse_fo', ['837931 XX IO SENSEX SENSEX26SEP91000PE PE  5 20 1790240400 9.1e+06 -1 2 1 1 1000']],
    [
      'mcx_fo',
      [
        '569900  FUTCOM CRUDEOIL CRUDEOIL19OCT26FUT   100 100 1792454399 -1 -1 2 1 1 1000000',
        '570001  FUTCOM GOLDM GOLDM05OCT26FUT   100 100 1791244799 -1 -1 2 1 10 1000000',
        '571001  OPTFUT CRUDEOIL CRUDEOIL16OCT265400CE CE  100 100 1792195199 540000 -1 2 1 1 1000000',
      ],
    ],
    [
      'cde_fo',
      [
        '1284 XX FUTCUR USDINR USDINR26OCTFUT XX  0.25 1 1477665000 -1 1000 4 1 1 10000',
        '1300 XX OPTCUR USDINR USDINR26OCT104.25CE CE  0.25 1 1477665000 1.0425e+06 1000 4 1 1 10000',
      ],
    ],
    ['nse_com', []],
    [
      'nse_cm-v1',
      [
        '2885 EQ  RELIANCE RELIANCE-EQ  INE002A01018 10 1 -1 -1 -1 2 1 1 99999999',
        '14894 BE  CENTRALBK CENTRALBK-BE  INE483A01010 1 1 -1 -1 -1 2 1 1 99999999',
        '26000   NIFTY Nifty 50   -1 1 -1 -1 -1 2 1 1 0',
      ],
    ],
    ['bse_cm-v1', ['500325 A  RELIANCE RELIANCE  INE002A01018 10 1 -1 -1 -1 2 1 1 99999999', '1   SENSEX SENSEX   -1 1 -1 -1 -1 2 1 1 0']],
  ])('%s has 79 columns', async (file, rows) => {
    expect(await table(file)).toEqual(rows);
  });

  test('an old day, and a file of another name, is denied', async () => {
    const [address = ''] = (await paths()).filesPaths.filter((each) => each.endsWith('/nse_fo.csv'));
    for (const other of [address.replace(/\d{4}-\d\d-\d\d/, '2025-01-22'), address.replace('nse_fo', 'nse_fo-v1')]) {
      expect((await fetch(other)).status).toBe(403);
    }
  });
});

test('a file is made once a day', async () => {
  let walks = 0;
  const listed = {
    *[Symbol.iterator]() {
      walks += 1;
      yield known.reliance;
    },
  };
  const clock = manualClock('2026-11-20T23:59:58+05:30');
  const here = await serve('shoonya', listed, clock);
  const file = () => bytesOf(`${here.master}/NSE_symbols.txt.zip`);
  expect(await file()).toEqual(await file());
  expect(walks).toBe(1);
  clock.pass(2_000);
  await file();
  expect(walks).toBe(2);
});

test('other calls are answered while a large file is made', async () => {
  const rows = 60_000;
  let walked = 0;
  const listed = {
    *[Symbol.iterator]() {
      for (; walked < rows; walked += 1) yield known.nifty;
    },
  };
  const here = await serve('shoonya', listed);
  const file = bytesOf(`${here.master}/NFO_symbols.txt.zip`);
  await vi.waitFor(() => expect(walked).toBeGreaterThan(0), { interval: 1, timeout: 20_000 });
  await fetch(`${here.origin}/nothing`);
  expect(walked).toBeLessThan(rows);
  const [text = new Uint8Array()] = Object.values(unzipSync(await file));
  expect(linesOf(strFromU8(text))).toHaveLength(1 + rows);
});
