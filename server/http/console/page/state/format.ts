/** Words for numbers and times. Money is rupees; times are shown in IST, the exchange's zone. */
const MINUS = '\u2212';

/** What is not known. */
export const NONE = '\u2013';

type Figure = number | string | null | undefined;

const fixed = (digits: number, most = digits) =>
  new Intl.NumberFormat('en-IN', { minimumFractionDigits: digits, maximumFractionDigits: most });
const money = fixed(2);
const exact = fixed(2, 4);
const whole = fixed(0, 4);
const time = zoned({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const minute = zoned({ hour: '2-digit', minute: '2-digit' });
const dated = zoned({ day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' });

function zoned(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', hourCycle: 'h23', ...parts });
}

/** The number of a figure; null where there is none. */
export function numberOf(figure: Figure): number | null {
  if (figure === null || figure === undefined || figure === '') return null;
  const number = Number(figure);
  return Number.isFinite(number) ? number : null;
}

/** A price: 812.35, with up to four decimals where a price has them. */
export function price(figure: Figure): string {
  const number = numberOf(figure);
  return number === null ? NONE : exact.format(number);
}

/** Rupees: 1,23,456.70. */
export function rupees(figure: Figure): string {
  const number = numberOf(figure);
  return number === null ? NONE : money.format(number).replace('-', MINUS);
}

/** Rupees with their sign: +1,234.50, and 0.00 for nothing. */
export function signedRupees(figure: Figure): string {
  const number = numberOf(figure);
  if (number === null) return NONE;
  const text = money.format(Math.abs(number));
  if (/^[0.]*$/.test(text)) return text;
  return (number > 0 ? '+' : MINUS) + text;
}

/** A quantity: 1,250. */
export function quantity(figure: Figure): string {
  const number = numberOf(figure);
  return number === null ? NONE : whole.format(number).replace('-', MINUS);
}

/** 1 for a gain, -1 for a loss, 0 for neither: what two decimals show of it. */
export function direction(figure: Figure): -1 | 0 | 1 {
  const number = numberOf(figure);
  if (number === null || Math.abs(number) < 0.005) return 0;
  return number > 0 ? 1 : -1;
}

/** 09:15:01 of a time in ISO form. */
export function clockTime(at: string | null | undefined): string {
  return at ? time.format(new Date(at)) : NONE;
}

/** 09:15 where it is of the same day as `now`, else 24 Nov, 06:00. */
export function shortTime(at: string | null | undefined, now: number): string {
  if (!at) return NONE;
  return (tradingDay(now) === tradingDay(Date.parse(at)) ? minute : dated).format(new Date(at));
}

/** The day of a time, YYYY-MM-DD, IST. */
export function tradingDay(at: number): string {
  return day.format(at);
}

/** How long: 0.4 s, 12 s, 3 min, 2 h. */
export function span(ms: number): string {
  if (ms < 0) return '0 s';
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 99_500) return `${Math.round(ms / 1000)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 129_600_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** A short wait, in ms: 12 ms, 1.24 s. */
export function wait(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** INTRADAY -> Intraday, PARTIALLY_FILLED -> Partially filled. */
export function plain(word: string | null | undefined): string {
  if (!word) return NONE;
  const text = word.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a row's instrument is called: its one name without the exchange, else the broker's own symbol. */
export function nameOf({ instrument, symbol }: { instrument: string | null; symbol: string }): string {
  return instrument?.slice(instrument.indexOf(':') + 1) ?? symbol;
}
