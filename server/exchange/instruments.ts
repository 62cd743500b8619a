import { systemClock, tradingDay } from '../clock.ts';
import { Big } from '../money.ts';
import { type ContractExchange, type Month, monthsBefore, monthsOn } from './months.ts';
import { type Instrument, isOption } from './types.ts';

export type Row = Pick<Instrument, 'exchange' | 'symbol' | 'name' | 'underlying' | 'kind' | 'exchangeToken'> & {
  basePrice: string;
  isin?: string;
  expiry?: string;
  strike?: string;
  lotSize?: number;
  multiplier?: number;
  tick?: string;
};

/** symbol, NSE token, BSE code (0: not offered there), ISIN, base price in rupees, name. Shares of the practice exchange; prices are near those of 2026. */
const shares: readonly (readonly [string, number, number, string, string, string])[] = [
  ['ADANIENT', 25, 0, 'INE423A01024', '2410', 'ADANI ENTERPRISES'],
  ['ASIANPAINT', 236, 0, 'INE021A01026', '2860', 'ASIAN PAINTS'],
  ['AXISBANK', 5900, 0, 'INE238A01034', '1265', 'AXIS BANK'],
  ['BAJFINANCE', 317, 0, 'INE296A01032', '1012', 'BAJAJ FINANCE'],
  ['BHARTIARTL', 10604, 0, 'INE397D01024', '2105', 'BHARTI AIRTEL'],
  ['CIPLA', 694, 0, 'INE059A01026', '1530', 'CIPLA'],
  ['COALINDIA', 20374, 0, 'INE522F01014', '382', 'COAL INDIA'],
  ['HCLTECH', 7229, 0, 'INE860A01027', '1620', 'HCL TECHNOLOGIES'],
  ['HDFCBANK', 1333, 500180, 'INE040A01034', '1004', 'HDFC BANK'],
  ['HINDALCO', 1363, 0, 'INE038A01020', '792', 'HINDALCO INDUSTRIES'],
  ['HINDUNILVR', 1394, 0, 'INE030A01027', '2430', 'HINDUSTAN UNILEVER'],
  ['ICICIBANK', 4963, 532174, 'INE090A01021', '1372', 'ICICI BANK'],
  ['IDEA', 14366, 0, 'INE669E01016', '10.2', 'VODAFONE IDEA'],
  ['INFY', 1594, 500209, 'INE009A01021', '1568', 'INFOSYS'],
  ['ITC', 1660, 500875, 'INE154A01025', '404', 'ITC'],
  ['JSWSTEEL', 11723, 0, 'INE019A01038', '1168', 'JSW STEEL'],
  ['KOTAKBANK', 1922, 0, 'INE237A01028', '2115', 'KOTAK MAHINDRA BANK'],
  ['LT', 11483, 0, 'INE018A01030', '4032', 'LARSEN & TOUBRO'],
  ['M&M', 2031, 0, 'INE101A01026', '3705', 'MAHINDRA & MAHINDRA'],
  ['MARUTI', 10999, 0, 'INE585B01010', '15900', 'MARUTI SUZUKI INDIA'],
  ['NHPC', 17400, 0, 'INE848E01016', '79.4', 'NHPC'],
  ['NTPC', 11630, 0, 'INE733E01010', '328', 'NTPC'],
  ['ONGC', 2475, 0, 'INE213A01029', '249', 'OIL AND NATURAL GAS CORP'],
  ['POWERGRID', 14977, 0, 'INE752E01010', '276', 'POWER GRID CORP OF INDIA'],
  ['RELIANCE', 2885, 500325, 'INE002A01018', '1518', 'RELIANCE INDUSTRIES'],
  ['SBIN', 3045, 500112, 'INE062A01020', '812', 'STATE BANK OF INDIA'],
  ['SUNPHARMA', 3351, 0, 'INE044A01036', '1784', 'SUN PHARMACEUTICAL'],
  ['TATASTEEL', 3499, 500470, 'INE081A01020', '172', 'TATA STEEL'],
  ['TCS', 11536, 532540, 'INE467B01029', '3105', 'TATA CONSULTANCY SERVICES'],
  ['TITAN', 3506, 500114, 'INE280A01028', '3880', 'TITAN COMPANY'],
  ['WIPRO', 3787, 0, 'INE075A01022', '244', 'WIPRO'],
  ['YESBANK', 11915, 0, 'INE528G01035', '22.6', 'YES BANK'],
];

/** underlying, first token, lot, tick, multiplier, base price. */
const futures: readonly (readonly [ContractExchange, string, number, number, string, number, string])[] = [
  ['NFO', 'NIFTY', 47001, 65, '0.1', 1, '26060'],
  ['NFO', 'BANKNIFTY', 47011, 30, '0.2', 1, '58900'],
  ['NFO', 'RELIANCE', 47021, 500, '0.1', 1, '1524'],
  ['NFO', 'SBIN', 47031, 750, '0.05', 1, '815'],
  ['NFO', 'INFY', 47041, 400, '0.1', 1, '1574'],
  ['BFO', 'SENSEX', 861201, 20, '0.05', 1, '85400'],
  ['MCX', 'CRUDEOIL', 464101, 1, '1', 100, '5320'],
  ['MCX', 'GOLDM', 464111, 1, '1', 10, '124500'],
  ['MCX', 'NATURALGAS', 464121, 1, '0.1', 1250, '404.5'],
  ['MCX', 'SILVERM', 464131, 1, '1', 5, '156200'],
  ['CDS', 'USDINR', 10901, 1, '0.0025', 1000, '89.2'],
  ['CDS', 'EURINR', 10911, 1, '0.0025', 1000, '103.15'],
  ['CDS', 'GBPINR', 10921, 1, '0.0025', 1000, '117.4'],
];

/** underlying, first token, lot, strikes, premium of the strike at the money. */
const options: readonly (readonly ['NFO' | 'BFO', string, number, number, readonly string[], string])[] = [
  ['NFO', 'NIFTY', 48001, 65, ['25500', '26000', '26500'], '240'],
  ['NFO', 'BANKNIFTY', 48021, 30, ['58500', '59000', '59500'], '560'],
  ['NFO', 'RELIANCE', 48041, 500, ['1500', '1520', '1540'], '32'],
  ['BFO', 'SENSEX', 861221, 20, ['85000', '85500', '86000'], '780'],
];

/** The largest order of a contract: of an index as its exchange publishes it, of other contracts of NFO so many lots, elsewhere a quantity, which counts lots there. */
const indexFreeze: Readonly<Record<string, number>> = { NIFTY: 1_800, BANKNIFTY: 600, SENSEX: 1_000 };
const STOCK_FREEZE_LOTS = 40;
const FREEZE_LOTS = 10_000;

/** exchange, symbol, token there, level, name. What the contracts are on, and India's volatility; nobody trades them. */
const indexLevels: readonly (readonly ['NSE' | 'BSE', string, number, string, string])[] = [
  ['NSE', 'NIFTY', 26000, '26020', 'Nifty 50'],
  ['NSE', 'BANKNIFTY', 26009, '58810', 'Nifty Bank'],
  ['NSE', 'FINNIFTY', 26037, '27480', 'Nifty Fin Service'],
  ['NSE', 'MIDCPNIFTY', 26074, '13890', 'Nifty Midcap Select'],
  ['NSE', 'INDIAVIX', 26017, '13.4', 'India VIX'],
  ['BSE', 'SENSEX', 1, '85260', 'SENSEX'],
  ['BSE', 'BANKEX', 12, '65940', 'BANKEX'],
];

/** The day this process began in India: contract months follow it. They trade on after they expired: the practice exchange never closes. */
export const firstDay = tradingDay(systemClock.now());

/** Every instrument of the practice exchange. */
export const instruments: readonly Instrument[] = instrumentsOn(firstDay);

/** The indices it tells the level of, in the form of instruments. */
export const indices: readonly Instrument[] = indexLevels.map(([exchange, symbol, exchangeToken, basePrice, name]) =>
  complete({ exchange, symbol, exchangeToken, basePrice, name, underlying: symbol, kind: 'INDEX', tick: '0.05' }),
);

/** What it tells a price of: all that is traded, and the indices. */
export const quoted: readonly Instrument[] = [...instruments, ...indices];

const indexNames = new Set(indexLevels.map(([, symbol]) => symbol));

/** Whether an underlying is an index. */
export function isIndex(underlying: string): boolean {
  return indexNames.has(underlying);
}

const byName = new Map(instruments.map((instrument) => [nameOf(instrument), instrument]));
/** Contracts of months that were over when this process began: the ledger remembers orders and positions in them. */
const retired = new Map(contractsOf((exchange) => monthsBefore(firstDay, exchange)).map((row) => [nameOf(row), complete(row)]));

export function findInstrument(exchange: string, symbol: string): Instrument | undefined {
  return byName.get(`${exchange}:${symbol}`);
}

/** One that is traded, or was in a month that is over. */
export function rememberedInstrument(exchange: string, symbol: string): Instrument | undefined {
  return findInstrument(exchange, symbol) ?? retired.get(`${exchange}:${symbol}`);
}

/** Whether a contract is gone on a day (YYYY-MM-DD, India): over before this process began, which still traded it until then. */
export function isRetired({ exchange, symbol }: Pick<Instrument, 'exchange' | 'symbol'>, day: string): boolean {
  return day >= firstDay && retired.has(`${exchange}:${symbol}`);
}

/** One that is or was traded. Throws for what never was. */
export function instrumentNamed(exchange: string, symbol: string): Instrument {
  const instrument = rememberedInstrument(exchange, symbol);
  if (!instrument) throw new Error(`The practice exchange does not trade ${exchange}:${symbol}`);
  return instrument;
}

/** What trades on a day (YYYY-MM-DD, India): shares, and the contracts of each exchange's two nearest months. */
export function instrumentsOn(today: string): Instrument[] {
  return [...shareRows(), ...contractsOf((exchange) => monthsOn(today, exchange))].map(complete);
}

function nameOf({ exchange, symbol }: Pick<Instrument, 'exchange' | 'symbol'>): string {
  return `${exchange}:${symbol}`;
}

function contractsOf(months: (exchange: ContractExchange) => readonly Month[]): Row[] {
  return [...futureRows(months), ...optionRows(months)];
}

function shareRows(): Row[] {
  return shares.flatMap(([symbol, nse, bse, isin, basePrice, name]): Row[] => {
    const share = { symbol, name, underlying: symbol, kind: 'EQ', isin, basePrice, tick: shareTick(basePrice) } as const;
    const onNse: Row = { ...share, exchange: 'NSE', exchangeToken: nse };
    return bse === 0 ? [onNse] : [onNse, { ...share, exchange: 'BSE', exchangeToken: bse }];
  });
}

function futureRows(monthsOf: (exchange: ContractExchange) => readonly Month[]): Row[] {
  return futures.flatMap(([exchange, underlying, token, lotSize, tick, multiplier, basePrice]) =>
    monthsOf(exchange).map(({ text, expiry, number }): Row => {
      const symbol = `${underlying}${text}FUT`;
      return {
        exchange,
        symbol,
        name: underlying,
        underlying,
        kind: 'FUT',
        // Neighbouring months take turns, so that a contract keeps its token when the month before it goes.
        exchangeToken: token + ((number + 1) % 2),
        basePrice,
        expiry,
        lotSize,
        multiplier,
        tick,
      };
    }),
  );
}

function optionRows(monthsOf: (exchange: ContractExchange) => readonly Month[]): Row[] {
  return options.flatMap(([exchange, underlying, token, lotSize, strikes, basePrice]) =>
    monthsOf(exchange).flatMap(({ text, expiry, number }) =>
      strikes.flatMap((strike, strikeIndex) =>
        (['CE', 'PE'] as const).map((kind, kindIndex): Row => {
          const exchangeToken = token + ((number + 1) % 2) * 6 + strikeIndex * 2 + kindIndex;
          const symbol = `${underlying}${text}${strike}${kind}`;
          const contract = { expiry, strike, lotSize, tick: '0.05' };
          return { exchange, symbol, name: underlying, underlying, kind, exchangeToken, basePrice, ...contract };
        }),
      ),
    ),
  );
}

/** NSE's tick table for shares. */
export function shareTick(basePrice: string): string {
  const price = Number(basePrice);
  if (price <= 250) return '0.01';
  if (price <= 1_000) return '0.05';
  if (price <= 5_000) return '0.1';
  return price <= 10_000 ? '0.5' : '1';
}

/** Circuits lie 10 % around the base price; an option may double or fall to one tick. */
export function complete(row: Row): Instrument {
  const { isin = null, expiry = null, strike = null, lotSize = 1, multiplier = 1, tick = '0.05', ...rest } = row;
  const base = new Big(row.basePrice);
  const option = isOption(row);
  const lowerCircuit = option ? tick : roundToTick(base.times('0.9'), tick);
  const upperCircuit = roundToTick(base.times(option ? 2 : '1.1'), tick);
  const freezeQuantity = freezeOf(row, lotSize);
  return { ...rest, isin, expiry, strike, lotSize, freezeQuantity, multiplier, tick, lowerCircuit, upperCircuit };
}

function freezeOf({ exchange, underlying, kind }: Row, lotSize: number): number | null {
  if (kind === 'EQ' || kind === 'INDEX') return null;
  return indexFreeze[underlying] ?? (exchange === 'NFO' ? STOCK_FREEZE_LOTS * lotSize : FREEZE_LOTS);
}

/** The nearest multiple of the tick, rupees. */
export function roundToTick(price: Big, tick: string): string {
  return price.div(tick).round(0, Big.roundHalfUp).times(tick).toFixed();
}
