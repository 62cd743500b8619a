import { parseArgs } from 'node:util';
import { type Asked, orderIdText, priceText } from './requests.ts';

export const usage = `Usage: npm run orders -- list
       npm run orders -- resolve KEY --filled QUANTITY --at PRICE [--order ID] [--reason TEXT]
       npm run orders -- resolve KEY --absent [--reason TEXT]
  list      orders whose fate nobody could establish yet, with what is known of them
  resolve   says what became of one, after you looked it up at the broker
    KEY       as list shows it, or the caller's own idempotency key
    --filled  how much of it was filled, --at the average price of one unit in rupees
    --order   the broker's id of the order, where the gateway does not know it
    --absent  it never reached the broker, or ended there with nothing filled
    --reason  kept with the event`;

const LONGEST_REASON = 500;
const LARGEST_QUANTITY = 1_000_000_000_000;

/** A command line that cannot be understood; the message says why, and may be empty. */
export class UsageError extends Error {}

const options = {
  filled: { type: 'string' },
  at: { type: 'string' },
  order: { type: 'string' },
  reason: { type: 'string' },
  absent: { type: 'boolean' },
} as const;

/** What a command line asks for; `by` names the person. Throws UsageError. */
export function parseCommand(args: string[], by: string): Asked {
  const { values, positionals } = parsed(args);
  const [command, key, ...rest] = positionals;
  const given = Object.keys(values);
  if (command === 'list' && key === undefined) {
    if (given.length > 0) throw new UsageError(`list takes no --${given[0]}`);
    return { command: 'list' };
  }
  if (command !== 'resolve' || rest.length > 0)
    throw new UsageError(command === undefined ? '' : `not understood: ${positionals.join(' ')}`);
  if (!key) throw new UsageError('resolve needs the KEY of an order');
  const { filled, at, order = null, reason = '', absent = false } = values;
  if (reason.length > LONGEST_REASON) throw new UsageError(`--reason takes at most ${LONGEST_REASON} characters`);
  if (absent) {
    const [other] = given.filter((name) => name !== 'absent' && name !== 'reason');
    if (other) throw new UsageError(`--absent and --${other} contradict each other`);
    return { command: 'absent', key, reason, by };
  }
  if (filled === undefined) throw new UsageError('resolve needs --filled QUANTITY --at PRICE, or --absent');
  if (at === undefined) throw new UsageError('--filled needs --at PRICE');
  if (order !== null && !orderIdText.test(order)) throw new UsageError(`--order: ${JSON.stringify(order)} is no order id`);
  return { command: 'filled', key, quantity: quantityOf(filled), price: priceOf(at), orderId: order, reason, by };
}

function parsed(args: string[]) {
  try {
    const { values, positionals, tokens } = parseArgs({ args, allowPositionals: true, options, tokens: true });
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice) throw new UsageError(`--${twice} is given twice`);
    return { values, positionals };
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function quantityOf(text: string): number {
  const quantity = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (quantity <= LARGEST_QUANTITY) return quantity;
  throw new UsageError(`--filled: ${JSON.stringify(text)} is no whole number of at least 1; nothing filled is --absent`);
}

function priceOf(text: string): string {
  if (priceText.test(text) && Number(text) > 0) return text;
  throw new UsageError(`--at: ${JSON.stringify(text)} is no price above 0 such as 101 or 100.55, with at most four decimals`);
}
