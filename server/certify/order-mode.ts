import type { Broker } from '../brokers/broker.ts';
import type { Clock, Random } from '../clock.ts';
import { newTag } from '../orders/key.ts';
import type { FeedWatch } from './feed.ts';
import { type Finding, failed, notTold, ok, type Said } from './findings.ts';
import { type Open, tryOrder } from './order.ts';
import { orderOf } from './order-rows.ts';
import { type OrderAsked, priceOf } from './price.ts';
import type { Reader } from './reads.ts';
import type { Draft } from './report.ts';

export interface OrderModeParts {
  broker: Broker;
  reader: Reader;
  feed: FeedWatch;
  draft: Draft;
  clock: Clock;
  random: Random;
  /** The last price of the order's instrument, rupees; null where nobody tells it. */
  last: number | null;
  found(finding: Finding): void;
  say(line: string): void;
  ask(question: string): Promise<string>;
  stopped(): boolean;
  /** Writes the draft; durable when it resolves. */
  write(): Promise<void>;
}

/** Asks the person, and tries the one order. Returns what may still be open. */
export async function orderMode(asked: OrderAsked, parts: OrderModeParts): Promise<Open | null> {
  const { broker, found, last, draft, random, say } = parts;
  const refuse = (why: string): null => {
    found({ name: 'order', ...failed(`nothing was sent: ${why}`) });
    return null;
  };
  const priced = priceOf(asked, last);
  if ('refused' in priced) return refuse(priced.refused);
  if (broker.traits.tradedBy(asked) === null) return refuse('the broker trades by token; name the order EXCHANGE:SYMBOL:TOKEN');
  if (!draft.rounds.at(-1)?.orders.success) return refuse('the order book cannot be read, so the order could not be followed');
  if (parts.stopped()) return refuse('you ended it');
  if (!(await agreed(asked, priced, parts))) {
    found({ name: 'order', ...notTold('nothing was sent: the name of the broker was not typed') });
    return null;
  }
  const tag = newTag(random);
  say(`The order carries the tag ${tag}. Should this end here, look for it in the broker's app and cancel it.`);
  draft.openTag = tag;
  const open = await tryOrder({
    ...parts,
    traits: broker.traits,
    order: orderOf(asked, priced.price),
    tag,
    changed: priced.changed,
    book: () => parts.reader.orders(),
    async write(step) {
      const same = draft.steps.findLastIndex(({ call }) => call === step.call);
      if (same < 0) draft.steps.push(step);
      else draft.steps[same] = step;
      await parts.write();
    },
  });
  if (open === null) draft.openTag = null;
  found({ name: 'order updates', ...(await updates(parts)) });
  return open;
}

async function agreed({ exchange, symbol, quantity }: OrderAsked, priced: { price: string; risk: string }, parts: OrderModeParts) {
  const { broker, say, ask, stopped } = parts;
  say(
    `\nOne order is to go to ${broker.id}: LIMIT BUY ${quantity} x ${exchange} ${symbol} at ₹${priced.price}. It is changed by one tick, then cancelled.\n` +
      `Should it trade all the same, it costs ₹${priced.risk} at most. Prices outside the day's circuit are refused: give one inside it with --price.`,
  );
  const typed = await ask(`Type ${broker.id} to send it, anything else to send nothing: `);
  return typed.trim() === broker.id && !stopped();
}

const UPDATE_MS = 5000;

/** What the feed told of the order. */
async function updates({ broker, feed, draft }: OrderModeParts): Promise<Said> {
  const accepted = draft.steps.some(({ call, fate }) => call === 'place' && fate === 'accepted');
  if (!accepted || !broker.feed?.some(({ orders }) => orders)) return notTold('there is no order, or no feed of orders');
  await feed.until(() => feed.orders.length > 0, UPDATE_MS);
  return feed.orders.length > 0 ? ok(`the feed told of ${feed.orders.length} changes`) : failed('the feed told nothing of the order');
}
