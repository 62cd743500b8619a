/** A file as Kite gives it, of any size: shares of both exchanges, indices, and contracts on some two hundred underlyings. The same for the same numbers. */

const header =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange';
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const words = [
  'STATE',
  'BANK',
  'INDIA',
  'STEEL',
  'POWER',
  'FINANCE',
  'MOTORS',
  'CEMENT',
  'OIL',
  'TEXTILES',
  'PHARMA',
  'FOODS',
  'L&T',
  'SUGAR',
];
const indices = ['NIFTY', 'BANKNIFTY', 'FINNIFTY', 'MIDCPNIFTY'];
const UNDERLYINGS = 200;

export interface MasterSize {
  rows: number;
  /** `YYYY-MM-DD`: the first expiry is the day after. */
  today: string;
}

/** The lines of the file, header first. */
export function* masterLines({ rows, today }: MasterSize): Generator<string> {
  yield header;
  let number = 0;
  for (const line of everything(rows, today)) {
    number += 1;
    if (number > rows) return;
    yield `${number * 256 + 1},${number},${line}`;
  }
}

function* everything(rows: number, today: string): Generator<string> {
  for (const index of ['NIFTY 50', 'NIFTY BANK', 'NIFTY FIN SERVICE', 'INDIA VIX']) yield `${index},${index},0,,0,0,1,EQ,INDICES,NSE`;
  const shares = Math.floor(rows / 10);
  for (let share = 0; share < shares; share += 1) {
    const exchange = share % 2 === 0 ? 'NSE' : 'BSE';
    const suffix = exchange === 'NSE' && share % 20 === 18 ? '-SM' : '';
    yield `${shareSymbol(share >> 1)}${suffix},"${companyName(share >> 1)}, LTD",0,,0,0.05,1,EQ,${exchange},${exchange}`;
  }
  for (let expiry = 1; ; expiry += 1) {
    const day = new Date(Date.parse(today) + expiry * 86_400_000 * 7 - 6 * 86_400_000).toISOString().slice(0, 10);
    for (let one = 0; one < UNDERLYINGS; one += 1) {
      const underlying = indices[one] ?? shareSymbol(one);
      const code = `${day.slice(2, 4)}${months[Number(day.slice(5, 7)) - 1]}${day.slice(8)}`;
      yield `${underlying}${code}FUT,"${underlying}",0,${day},0,0.05,50,FUT,NFO-FUT,NFO`;
      for (let step = 0; step < (one < indices.length ? 200 : 40); step += 1) {
        const strike = one < indices.length ? 20_000 + step * 50 : 100 + step * 2.5;
        for (const kind of ['CE', 'PE'])
          yield `${underlying}${code}${strike}${kind},"${underlying}",0,${day},${strike},0.05,50,${kind},NFO-OPT,NFO`;
      }
    }
  }
}

/** Letters only, different for each number. */
export function shareSymbol(number: number): string {
  let [text, rest] = ['', number];
  for (let place = 0; place < 4; place += 1) {
    text = String.fromCharCode(65 + (rest % 26)) + text;
    rest = Math.floor(rest / 26);
  }
  return `S${text}`;
}

function companyName(number: number): string {
  return [number, number * 7, number * 31].map((one) => words[one % words.length]).join(' ');
}
