// What the gateway may believe of its positions, written from the order safety rules alone and apart from the server's guard. Nothing is kept
// but the facts in the order they were learned, and they are read from the first to the last.
//
// Where the rules leave room, this is how they are read here:
// - "unknown" counts what an order may still fill: fills of it that were seen are in the net already.
// - An earlier expected value is any net between the values before and after own fills seen within the lag: fills come in parts and out of order.
// - "The worse end": a seller is told the least the net can be, a buyer the most. A read that only orders of the other side explain is the
//   broker's value for this side: between B and B - unknown(S) it does not lie.
// - What rests explains no read by itself. Beside fills the broker may not show yet it may: then those fills are in the read or not, the worse counts.
// - A read that shows what our order has filled unseen moves the net, and a later one may lack that fill again, as it may lack one that was seen.
// - What our own fills make of the net of before such moves is sure: once an order's fill is seen whole, no doubt of its parts is left.
// - Records know nothing of what others hold: the first read of a process is explained by unknown orders or is the broker's value, of which young
//   fills may be missing.
// - The better end, which decides whether BLOCKED is stored, holds what unknown orders of the other side may still fill.
// - A delivery position below zero counts as none: nobody can sell for delivery what he does not hold.
// - With the position guard off nothing is asked of positions, so unread ones block nothing; unknown orders still do.
import { type Answer, answerOf, type Side, type Span } from './table.ts';

export interface ModelOrder {
  id: number;
  instrument: number;
  product: string;
  side: Side;
  quantity: number;
  /** The most that any read has shown as filled. */
  seen: number;
  stage: 'unknown' | 'resting' | 'over';
}

export interface Question {
  instrument: number;
  product: string;
  side: Side;
  quantity: number;
  reduceOnly: boolean;
  guardOn: boolean;
  /** Positions were read in its turn and are readable. */
  read: boolean;
}

interface Quantities {
  BUY: number;
  SELL: number;
}

type Fact =
  | { kind: 'records'; net: number }
  | { kind: 'fill'; order: number; side: Side; quantity: number; at: number }
  | { kind: 'read'; net: number; beganAt: number; at: number; unknown: Quantities; resting: Quantities; open: ReadonlySet<number> };

export interface Traits {
  lagMs: number;
  holdingsFall: boolean | undefined;
}

export class Model {
  readonly orders: ModelOrder[] = [];
  /** Sellable shares by instrument. */
  readonly held = new Map<number, number>();
  readonly #facts = new Map<string, Fact[]>();
  readonly #answers = new Map<readonly Fact[], { facts: number; span: Span }>();
  readonly #traits: Traits;

  constructor(traits: Traits) {
    this.#traits = traits;
  }

  /** A new process knows what the records say, and the fills that are younger than any lag. */
  restart(records: ReadonlyMap<string, number>, sinceMs: number): void {
    for (const place of new Set([...this.#facts.keys(), ...records.keys()])) {
      const young = this.#of(place).filter((fact) => fact.kind === 'fill' && fact.at > sinceMs);
      const net = records.get(place) ?? 0;
      this.#facts.set(place, young.length > 0 || net !== 0 ? [...young, { kind: 'records', net }] : []);
    }
    this.held.clear();
  }

  /** An order of ours leaves. */
  sent(order: ModelOrder): void {
    this.orders.push(order);
    this.#of(placeOf(order));
  }

  /** An order-book row shows an order's filled quantity. */
  filled(order: ModelOrder, filled: number, at: number): void {
    const quantity = filled - order.seen;
    if (quantity <= 0) return;
    order.seen = filled;
    this.#of(placeOf(order)).push({ kind: 'fill', order: order.id, side: order.side, quantity, at });
  }

  /** Positions of an instrument by product; a product not named is flat. */
  read(instrument: number, nets: ReadonlyMap<string, number>, beganAt: number, at: number): void {
    for (const product of new Set([...this.products(instrument), ...nets.keys()])) {
      const ours = this.orders.filter((order) => order.instrument === instrument && order.product === product && order.stage !== 'over');
      const open = new Set(ours.map(({ id }) => id));
      const [unknown, resting] = [openOf(ours, 'unknown'), openOf(ours, 'resting')];
      this.#of(placeOf({ instrument, product })).push({ kind: 'read', net: nets.get(product) ?? 0, beganAt, at, unknown, resting, open });
    }
  }

  products(instrument: number): string[] {
    const start = `${instrument} `;
    return [...this.#facts.keys()].filter((place) => place.startsWith(start)).map((place) => place.slice(start.length));
  }

  ask(question: Question): Answer {
    const { instrument, product, side } = question;
    const all = this.orders.filter((order) => order.instrument === instrument);
    const own = all.filter((order) => order.product === product);
    const products = [...new Set([...this.products(instrument), product])];
    return answerOf({
      ...question,
      own: this.#span(product, question),
      sum: products
        .map((one) => this.#span(one, question))
        .reduce(({ low, high }, span) => ({ low: low + span.low, high: high + span.high })),
      unknownOwn: openOf(own, 'unknown')[side],
      unknownSum: openOf(all, 'unknown')[side],
      workingOwn: openOf(own, 'resting')[side],
    });
  }

  /** Net of a product before unknown orders of the question's side, as that side must see it. */
  #span(product: string, question: Question): Span {
    const { instrument, side } = question;
    const facts = this.#of(placeOf({ instrument, product }), false);
    const unknown = openOf(
      this.orders.filter((order) => order.instrument === instrument && order.product === product),
      'unknown',
    );
    const net = this.#believed(facts);
    const least = net.low - (side === 'BUY' ? unknown.SELL : 0);
    const most = net.high + (side === 'SELL' ? unknown.BUY : 0);
    if (product !== 'DELIVERY') return { low: least, high: most };
    if (question.product !== 'DELIVERY' || side === 'BUY') return { low: Math.max(0, least), high: Math.max(0, most) };
    const held = this.held.get(instrument) ?? 0;
    // In doubt the larger sum.
    if (this.#traits.holdingsFall === false) return { low: held + least, high: held + most };
    return { low: held + Math.max(0, least), high: held + Math.max(0, most) };
  }

  /** Read once for as long as nothing was learned. */
  #believed(facts: readonly Fact[]): Span {
    const before = this.#answers.get(facts);
    if (before?.facts === facts.length) return before.span;
    const { lagMs } = this.#traits;
    const span = { low: leastNet(facts, lagMs), high: -leastNet(facts.map(mirrored), lagMs) };
    this.#answers.set(facts, { facts: facts.length, span });
    return span;
  }

  #of(place: string, keep = true): Fact[] {
    const facts = this.#facts.get(place) ?? [];
    if (keep) this.#facts.set(place, facts);
    return facts;
  }
}

/** The least a net can be, before unknown SELL orders. */
function leastNet(facts: readonly Fact[], lagMs: number): number {
  let least = 0;
  /** What our fills alone make of the last value that was not moved. */
  let byFills = 0;
  let insideBefore: ReadonlySet<number> = new Set();
  let fromRecords = false;
  /** Orders whose fills the value may hold already. */
  let inside: ReadonlySet<number> = new Set();
  let moves: { by: number; at: number }[] = [];
  facts.forEach((fact, index) => {
    if (fact.kind === 'records') [least, byFills, fromRecords] = [fact.net, fact.net, true];
    if (fact.kind === 'fill') {
      if (fact.side === 'SELL' || !insideBefore.has(fact.order)) byFills += signed(fact.side, fact.quantity);
      if (fact.side === 'SELL' || !inside.has(fact.order)) least += signed(fact.side, fact.quantity);
      least = Math.max(least, byFills);
    }
    if (fact.kind !== 'read') return;
    const { net, beganAt, at, unknown, resting } = fact;
    const young = filledSince(facts, index, beganAt - lagMs);
    const wasFromRecords = fromRecords;
    fromRecords = false;
    moves = moves.filter((move) => move.at > beganAt - lagMs);
    let lowest = least - unknown.SELL - moves.reduce((sum, { by }) => sum + Math.max(0, by), 0);
    let highest = least + moves.reduce((sum, { by }) => sum + Math.max(0, -by), 0);
    if (!wasFromRecords) [lowest, highest] = [lowest - young.BUY, highest + young.SELL];
    if (net >= lowest && net <= highest) return;
    const ours = net >= lowest - resting.SELL && net <= highest + unknown.BUY + resting.BUY;
    const mayLack = ours || wasFromRecords;
    const newer = net - (mayLack ? young : filledSince(facts, index, beganAt)).SELL;
    if (mayLack) moves.push({ by: newer - least, at });
    byFills = ours ? Math.min(byFills, newer) : newer;
    if (!ours) insideBefore = fact.open;
    least = newer;
    inside = fact.open;
  });
  return least;
}

/** What the fills among the first facts add up to, those of an instant and before it left out. */
function filledSince(facts: readonly Fact[], count: number, at: number): Quantities {
  const sum = { BUY: 0, SELL: 0 };
  for (let index = 0; index < count; index += 1) {
    const fact = facts[index];
    if (fact?.kind === 'fill' && fact.at > at) sum[fact.side] += fact.quantity;
  }
  return sum;
}

/** The same fact with buying and selling exchanged. */
function mirrored(fact: Fact): Fact {
  if (fact.kind === 'records') return { ...fact, net: -fact.net };
  if (fact.kind === 'fill') return { ...fact, side: otherSide(fact.side) };
  return { ...fact, net: -fact.net, unknown: swapped(fact.unknown), resting: swapped(fact.resting) };
}

function swapped({ BUY, SELL }: Quantities): Quantities {
  return { BUY: SELL, SELL: BUY };
}

/** What orders of a stage may still fill. */
export function openOf(orders: readonly ModelOrder[], stage: 'unknown' | 'resting'): Quantities {
  const sum = { BUY: 0, SELL: 0 };
  for (const order of orders) if (order.stage === stage) sum[order.side] += Math.max(0, order.quantity - order.seen);
  return sum;
}

export function otherSide(side: Side): Side {
  return side === 'BUY' ? 'SELL' : 'BUY';
}

export function signed(side: Side, quantity: number): number {
  return side === 'BUY' ? quantity : -quantity;
}

export function placeOf({ instrument, product }: { instrument: number; product: string }): string {
  return `${instrument} ${product}`;
}
