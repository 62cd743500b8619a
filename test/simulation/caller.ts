import type { ExitRequest } from '../../contract/exits.ts';
import type { ModifyOrderRequest, PlaceOrderRequest } from '../../contract/orders.ts';
import { recordKey } from '../../server/orders/key.ts';
import { EXCHANGE, instruments, products } from './instruments.ts';
import { drawCourse } from './plan.ts';
import type { GatewayProcess } from './process.ts';
import type { Venue } from './venue.ts';
import { averageOf, filledBy, openOf, quantityOf, type VenueOrder, versionOf } from './venue-order.ts';
import type { World } from './world.ts';

const LONGEST_ANSWER_MS = 120_000;

/** A request on its way to its answer, and the process that was asked. */
interface Waiting {
  life: number;
  name: string;
}

/** Whoever uses the gateway, and the broker's own app beside it. */
export class Caller {
  readonly asked: PlaceOrderRequest[] = [];
  /** Exits as one operation that were asked for. */
  readonly left: ExitRequest[] = [];
  readonly #world: World;
  readonly #waiting = new Set<Waiting>();
  readonly #exiting = new Set<Waiting>();
  /** The gateway in use; null before the first start. */
  process: GatewayProcess | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** Where orders go now. */
  get venue(): Venue {
    return this.#world.venue(this.process?.sessions.activeName() ?? 'zerodha');
  }

  place(request: PlaceOrderRequest, replayOnly = false): void {
    const { process } = this;
    const world = this.#world;
    if (!process?.life.alive) return;
    const name = request.idempotency_key ?? 'unkeyed';
    const { transaction_type, quantity, symbol, token, product_type, order_type, reduce_only } = request;
    world.note(
      `ask ${name} ${transaction_type} ${quantity} ${symbol}/${token} ${product_type} ${order_type} ${reduce_only ? 'reduce_only' : ''}`,
    );
    const waiting = { life: process.life.number, name };
    this.#waiting.add(waiting);
    const broker = process.sessions.activeName();
    const ask = replayOnly ? null : world.judge.asked(recordKey(request, broker), request, broker);
    const since = world.now();
    process.orders.place(request, { replayOnly }).then(
      (reply) => {
        this.#waiting.delete(waiting);
        if (!process.life.alive) return;
        world.note(`answer ${name} ${JSON.stringify(reply.body)} ${JSON.stringify(reply.headers)}`);
        const tookMs = world.now() - since;
        if (tookMs > LONGEST_ANSWER_MS) world.judge.violation(`${name}: the answer took ${tookMs} ms`);
        if (ask) world.judge.answered(ask, reply);
        else if (request.idempotency_key) world.judge.answers.keyed(`k:${request.idempotency_key}`, reply);
        else world.judge.answers.unkeyed(reply);
      },
      (error) => world.judge.violation(`${name}: place threw ${error}`),
    );
  }

  placeNew(request: PlaceOrderRequest): void {
    this.asked.push(request);
    this.place(request);
  }

  retry(replayOnly: boolean): void {
    const { chance } = this.#world;
    const request = this.asked[this.asked.length - 1 - Math.min(this.asked.length - 1, chance.ms(0, 8))];
    if (!request) return;
    const changed = request.idempotency_key && chance.hit(0.1) ? { ...request, quantity: request.quantity + 1 } : request;
    const times = chance.hit(0.2) ? 3 : 1;
    for (let time = 0; time < times; time += 1) this.place(changed, replayOnly);
  }

  /** Leaves everything or one position, or sends the request of such an exit again; at times twice at once. */
  leave(): void {
    const { exiting } = this.#world;
    const before = exiting.hit(0.3) ? this.left.at(-1 - exiting.ms(0, 3)) : undefined;
    const request = before ?? this.#newExit();
    if (!before) this.left.push(request);
    for (let time = exiting.hit(0.2) ? 2 : 1; time > 0; time -= 1) this.exit(request, exiting.hit(0.05));
  }

  #newExit(): ExitRequest {
    const { exiting } = this.#world;
    const idempotency_key = `exit-${this.left.length}`;
    if (exiting.hit(0.6)) return { all: true, idempotency_key };
    const { symbol, token } = exiting.pick(instruments);
    const name = { symbol, token, exchange: EXCHANGE, product_type: exiting.pick(products), holding: false };
    return { positions: [name], idempotency_key };
  }

  exit(request: ExitRequest, replayOnly = false): void {
    const { process } = this;
    const world = this.#world;
    if (!process?.life.alive) return;
    const key = request.idempotency_key ?? '';
    const waiting = { life: process.life.number, name: key };
    this.#waiting.add(waiting);
    this.#exiting.add(waiting);
    world.exitsRanUntil = Number.POSITIVE_INFINITY;
    world.note(`exit ${JSON.stringify(request)} ${replayOnly ? 'only asked after' : ''}`);
    const since = world.now();
    process.exits.exitPositions(request, 'somebody', { replayOnly }).then(
      (reply) => {
        this.#waiting.delete(waiting);
        this.#exited(waiting);
        if (!process.life.alive) return;
        world.note(`exit ${key} ${JSON.stringify(reply.body)} ${JSON.stringify(reply.headers)}`);
        world.judge.reports.answered(key, reply, since);
      },
      (error) => world.judge.violation(`exit ${key} threw ${error}`),
    );
  }

  /** A process begins: exits of the one before end nowhere any more. */
  begun(process: GatewayProcess): void {
    this.process = process;
    for (const one of this.#exiting) this.#exited(one);
  }

  #exited(one: Waiting): void {
    if (this.#exiting.delete(one) && this.#exiting.size === 0) this.#world.exitsRanUntil = this.#world.now();
  }

  byHand(symbol: string, product: string, side: string, quantity: number): void {
    const world = this.#world;
    const { venue } = this;
    const { ackAfterMs, fills, end } = drawCourse(world, 'MARKET', quantity);
    const now = world.now();
    const taken = venue.take({
      tag: null,
      symbol,
      product,
      side,
      orderType: 'MARKET',
      quantity,
      receivedAt: now,
      visibleAt: now,
      ackAt: now + ackAfterMs,
      fills: fills.map((fill) => ({ ...fill, at: now + fill.at })),
      end: end && { ...end, at: now + end.at },
      averageLagMs: 0,
    });
    world.note(`by hand at ${venue.broker}: ${taken.id} ${side} ${quantity} ${symbol} ${product}`);
  }

  cancel(): void {
    const order = this.#known();
    if (order && this.process) void this.process.orders.cancel({ order_id: order.id, variety: 'NORMAL' });
  }

  /** A new quantity, price or type, up or down. */
  modify(): void {
    const world = this.#world;
    const { chance } = world;
    const order = this.#known();
    if (!order || !this.process) return;
    const { quantity, price } = versionOf(order, world.now());
    const what = chance.weighted({ quantity: 4, price: 3, market: 2 });
    const change: ModifyOrderRequest = {
      order_id: order.id,
      variety: 'NORMAL',
      ...(what === 'quantity' && { quantity: Math.max(1, quantity + chance.pick([-3, -2, -1, 1, 2, 3])) }),
      ...(what === 'price' && { price: Math.max(1, price + chance.pick([-2, -1, 1, 2])) }),
      ...(what === 'market' && { order_type: 'MARKET', price: 0 }),
    };
    world.note(`modify ${JSON.stringify(change)}`);
    void this.process.orders.modify(change).then((answer) => world.note(`modify ${order.id}: ${JSON.stringify(answer)}`));
  }

  /** A person looks an order up at the broker and says what became of it, where that is sure. */
  settle(): void {
    const world = this.#world;
    const { chance } = world;
    const open = this.process?.orders.unresolved() ?? [];
    if (open.length === 0 || !this.process) return;
    const { key, tag, broker, startedAt } = chance.pick(open);
    const now = world.now();
    const order = world.venue(broker).orders.find((one) => one.tag === tag);
    if (now - startedAt < 10_000 || (order && (order.visibleAt > now || openOf(order, now) > 0))) return;
    const fills = order ? filledBy(order, now) : [];
    const found = { quantity: quantityOf(fills), price: averageOf(fills), orderId: order?.id ?? '', by: 'a person', reason: 'looked up' };
    world.judge.settled(key);
    world.note(`a person settles ${key}: ${JSON.stringify(found)}`);
    const outcome =
      found.quantity === 0 ? ({ kind: 'absent', by: 'a person', reason: 'looked up' } as const) : ({ kind: 'filled', ...found } as const);
    this.process.orders.resolve(key, outcome).catch((error) => world.note(`not settled: ${error}`));
  }

  /** Every request must have been answered by now. */
  close(): void {
    const { judge, life } = this.#world;
    for (const { life: asked, name } of this.#waiting) if (asked === life.number) judge.violation(`${name} was never answered`);
  }

  /** One of our last orders, known to the caller by its id and seen in the book, most often an open one. */
  #known(): VenueOrder | undefined {
    const { judge, chance } = this.#world;
    const now = this.#world.now();
    const told = (one: VenueOrder) => one.tag !== null && judge.truth.cases.get(one.tag)?.attempt.orderId === one.id;
    const own = this.venue.orders.filter((one) => told(one) && this.venue.order(one.id, now) === one);
    const open = own.filter((one) => openOf(one, now) > 0);
    return open.length > 0 && chance.hit(0.9) ? chance.pick(open) : own.at(-1);
  }
}
