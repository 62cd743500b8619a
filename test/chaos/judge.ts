import { z } from 'zod';
import type { Asked, Heard } from './orders.ts';
import type { KeyRecord } from './store.ts';
import { type Tallies, type Tally, tallyOf } from './tally.ts';
import type { VenueOrder } from './venue.ts';

const Answer = z.looseObject({
  success: z.boolean(),
  status: z.string().optional(),
  order_id: z.string().optional(),
  fill_status: z.string().optional(),
  filled_quantity: z.number().optional(),
  avg_fill_price: z.number().optional(),
});
type Answer = z.infer<typeof Answer>;

/** Everything there is to hold against each other when a history is over. */
export interface Evidence {
  asked: readonly Asked[];
  ledger: readonly VenueOrder[];
  records: readonly KeyRecord[];
  /** The ledger's orders of one request; by its own symbol and quantity unless given. */
  found?: (one: Asked) => readonly VenueOrder[];
}

/** Judges a history, adds it to the tallies, and tells what was found wrong, one line each. */
export function judge({ asked, ledger, records, found: foundOf }: Evidence, tallies: Tallies): string[] {
  const findings: string[] = [];
  const recordOf = new Map(records.map((record) => [record.key, record]));
  const ours = new Set<VenueOrder>();
  for (const one of asked) {
    const tally = tallyOf(tallies, one.kind);
    const found = foundOf?.(one) ?? ordersOf(one, ledger);
    for (const order of found) ours.add(order);
    for (const wrong of judgeOne(one, found, recordOf.get(`k:${one.key}`), tally))
      findings.push(`${one.kind}: ${one.key}: ${wrong}; venue ${JSON.stringify(found)}; heard ${JSON.stringify(one.heard)}`);
  }
  for (const stranger of ledger.filter((order) => !ours.has(order))) {
    findings.push(`nobody asked for ${JSON.stringify(stranger)}`);
    tallyOf(tallies, asked[0]?.kind ?? 'gateway').contradictions += 1;
  }
  return findings;
}

/** The ledger's orders of one request: nothing else in the history has its symbol and quantity. */
export function ordersOf(one: Asked, ledger: readonly VenueOrder[]): VenueOrder[] {
  return ledger.filter(
    (order) =>
      order.exchange === one.exchange &&
      order.symbol === one.symbol &&
      (order.quantity === one.quantity || order.quantity === one.grownTo) &&
      order.side === one.side,
  );
}

type Count = Exclude<
  keyof Tally,
  'cycles' | 'asked' | 'refused' | 'acknowledged' | 'foundAgain' | 'atVenue' | 'grew' | 'keptIn' | 'died' | 'unknown'
>;

function judgeOne(one: Asked, found: readonly VenueOrder[], record: KeyRecord | undefined, tally: Tally): string[] {
  const wrong: string[] = [];
  const count = (what: Count, holds: boolean, words: string) => {
    if (holds) return;
    tally[what] += 1;
    wrong.push(words);
  };
  const [order] = found;
  const first = one.heard.find(({ phase }) => phase === 'first');
  const last = one.heard.at(-1);
  const heard = one.heard.filter((told, index) => !hadExpired(told, one.heard[index + 1]));
  const answers = heard.map(({ text }) => Answer.parse(JSON.parse(text)));
  const final = answers.at(-1);
  tally.asked += 1;
  tally.atVenue += found.length;
  if (one.refused) tally.refused += 1;
  if (first) tally.acknowledged += 1;
  if (first && last?.phase === 'again') tally.foundAgain += 1;
  else if (first) wrong.push('answered, and not found again');
  if (!isKnown(final) && !order) tally.unknown += 1;
  count('duplicates', found.length <= 1, 'duplicate');
  const told = last?.phase === 'again' && (!order || names(final, order));
  count('lost', told || (!order && isBehindAnother(one)), `lost, and told to wait ${one.waits.length} times: ${[...new Set(one.waits)]}`);
  count('contradictions', !answers.some((answer) => contradicts(answer, order)), 'contradiction');
  count('changed', sameBytes(heard, answers), 'replay differs');
  const recorded = record !== undefined && record.state !== 'NOT_SENT' && (order?.tag ?? record.tag) === record.tag;
  count('unrecorded', !order || recorded, `no durable record names it: ${JSON.stringify(record)}`);
  return wrong;
}

/**
 * Held up to the end, and never sent, for an order in its symbol that never arrived: proving that takes longer than a history runs. The order may be
 * one of its own side, or one of the other that might end the position it is blocked by.
 */
function isBehindAnother({ waits, heard }: Asked): boolean {
  return heard.length === 0 && waits.some((text) => /"status":"BLOCKED"/.test(text));
}

function isKnown(answer: Pick<Answer, 'fill_status'> | undefined): boolean {
  return answer !== undefined && answer.fill_status !== 'UNKNOWN';
}

/** Answers that say nothing was sent; they are kept for a minute only. */
export function isShortLived(heard: Heard): boolean {
  const { success, order_id, fill_status } = Answer.parse(JSON.parse(heard.text));
  return !success && !order_id && fill_status === 'REJECTED';
}

/** Half of what such an answer is kept: it was stored a while before it was heard. */
const SHORT_LIFE_MS = 30_000;
const UNREADABLE_LIFE_MS = 2500;

/** Whether an answer that says nothing was sent may have been forgotten when the next one was given. */
function hadExpired(heard: Heard, next: Heard | undefined): boolean {
  if (!next || !isShortLived(heard)) return false;
  // What an open position blocked holds only until an order of ours in that symbol fills.
  if (heard.text.includes('One position per symbol')) return true;
  const lifeMs = heard.text.includes('could not be read') ? UNREADABLE_LIFE_MS : SHORT_LIFE_MS;
  return next.at - heard.at > lifeMs;
}

export function isUnknown(heard: Heard | undefined): boolean {
  return heard === undefined || !isKnown(Answer.parse(JSON.parse(heard.text)));
}

/** Where a broker's own ids may change, our tag is the order's id. */
function names(answer: Answer | undefined, order: VenueOrder): boolean {
  return answer?.order_id === order.orderId || (order.tag !== null && answer?.order_id === order.tag);
}

function contradicts(answer: Answer, order: VenueOrder | undefined): boolean {
  if (!order) return answer.success;
  if (!isKnown(answer)) return false;
  if (answer.order_id && !names(answer, order)) return true;
  if (!answer.success) return order.status !== 'REJECTED';
  const filled = answer.filled_quantity ?? 0;
  if (answer.fill_status === 'FILLED')
    return order.filled !== order.quantity || filled !== order.filled || answer.avg_fill_price !== Number(order.average);
  if (answer.fill_status === 'REJECTED') return order.status !== 'REJECTED';
  return filled > order.filled;
}

/** Stored answers are the same bytes; only an UNKNOWN one is replaced, once, by the truth. */
function sameBytes(heard: readonly Heard[], answers: readonly Answer[]): boolean {
  const stored = heard.flatMap((one, index) => (one.stored ? [{ text: one.text, known: isKnown(answers[index]) }] : []));
  const truth = stored.findIndex((one) => one.known);
  return truth === -1 || stored.slice(truth).every((one) => one.text === stored[truth]?.text);
}
