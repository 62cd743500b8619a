import { istText, tradingDay } from '../../clock.ts';

/** Instants (epoch ms) as brokers write them, and the numbers orders get from the time. */

/** Of the year, as most brokers write them. */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** The parts of an Indian date `YYYY-MM-DD` as texts, the month by its name too. */
export function dateParts(date: string): { year: string; month: string; day: string; monthName: string } {
  const [year = '', month = '', day = ''] = date.split('-');
  return { year, month, day, monthName: months[Number(month) - 1] ?? '' };
}

/** `YYYY-MM-DDTHH:MM:SS`, Indian time. */
export function istIso(at: number): string {
  return istText(at).replace(' ', 'T');
}

/** `22-Jan-2025 14:28:01`, Indian time. */
export function monthTime(at: number): string {
  const [date = '', time = ''] = istText(at).split(' ');
  const { day, monthName, year } = dateParts(date);
  return `${day}-${monthName}-${year} ${time}`;
}

/** Whole seconds of the epoch. */
export function epochSeconds(at: number): number {
  return Math.floor(at / 1000);
}

/** Milliseconds since midnight in India. */
export function sinceMidnight(at: number): number {
  return at - Date.parse(`${tradingDay(at)}T00:00:00+05:30`);
}

/** When the order of a serial number of the exchange was received. */
export function receivedAt(serial: string): number {
  return Number(BigInt(serial) >> 20n);
}

/** `YYMMDD` of the Indian day. */
export function shortDay(at: number): string {
  return tradingDay(at).slice(2).replaceAll('-', '');
}

/** An order number: the Indian day and the end of the serial number, 21 digits. */
export function dayAndSerial(serial: string): string {
  return shortDay(receivedAt(serial)) + serial.slice(-15);
}

/** An order number: the Indian day, a millisecond of it, and two digits that tell orders of one millisecond apart. */
export function dayAndMillisecond(serial: string, millisecondOf: (at: number) => number = sinceMidnight): string {
  const at = receivedAt(serial);
  return shortDay(at) + String(millisecondOf(at)).padStart(8, '0') + serial.slice(-2);
}
