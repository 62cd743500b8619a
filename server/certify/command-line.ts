import { parseArgs } from 'node:util';
import { exchanges } from '../../contract/words.ts';
import type { FeedInstrument } from '../brokers/feed.ts';
import { supportedHint } from '../session/brokers.ts';
import type { Wanted } from './certify.ts';

export const usage = `Usage: npm run certify -- BROKER [--watch EXCHANGE:SYMBOL:TOKEN]
       npm run certify -- BROKER --order EXCHANGE:SYMBOL[:TOKEN] [--quantity 1] [--price RUPEES] [--tick RUPEES]
  Reads your account at a broker, holds what it answers against itself, and writes a report without your data.
  --watch     the instrument whose price the feed is to send; one you hold unless told
  --order     also places one LIMIT BUY far below the market, changes it by a tick and cancels it, after asking you
  --quantity  1 unless told; one lot where the exchange trades in lots
  --price     20 % under the last price unless told
  --tick      the step of its prices; NSE's table of shares unless told
${supportedHint}`;

const options = {
  watch: { type: 'string' },
  order: { type: 'string' },
  quantity: { type: 'string' },
  price: { type: 'string' },
  tick: { type: 'string' },
} as const;

export interface Command extends Wanted {
  broker: string;
}

/** Null for what is not understood. */
export function parseCommand(args: string[]): Command | null {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const { watch, order, quantity = '1', price = null, tick = null } = values;
    const [broker = '', ...rest] = positionals;
    const [watched, ordered] = [watch, order].map((text) => (text === undefined ? undefined : instrumentOf(text)));
    const stray = order === undefined && [values.quantity, values.price, values.tick].some((value) => value !== undefined);
    if (broker === '' || rest.length > 0 || watched === null || ordered === null || stray || !/^[1-9]\d{0,6}$/.test(quantity)) return null;
    return { broker, watch: watched ?? null, order: ordered ? { ...ordered, quantity: Number(quantity), price, tick } : null };
  } catch {
    return null;
  }
}

/** `NSE:SBIN:779521`. A symbol may begin with an exchange, as FYERS writes it: `NSE:NSE:SBIN-EQ:10100000003045`; but `NSE:BSE:19585` is the share BSE. */
function instrumentOf(text: string): FeedInstrument | null {
  const [exchange = '', first = '', second = '', ...rest] = text.split(':');
  const prefixed = (exchanges as readonly string[]).includes(first) && second !== '' && !/^\d+$|\|/.test(second);
  const symbol = prefixed ? `${first}:${second}` : first;
  if (exchange === '' || symbol === '') return null;
  return { exchange, symbol, token: (prefixed || second === '' ? rest : [second, ...rest]).join(':') };
}
