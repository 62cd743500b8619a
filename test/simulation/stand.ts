import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { PlaceReply } from '../../server/orders/answer.ts';
import { request } from '../orders/parts.ts';
import { type GatewayProcess, startProcess } from './process.ts';
import type { Plan, VenueOrder } from './venue-order.ts';
import { World } from './world.ts';

export const filledAt = (ms: number) => [{ at: ms, quantity: 10, paise: 10_050 }];
/** Taken, and the answer lost. */
export const lostAnswer: Partial<Plan> = {
  arrival: 'accept',
  arrivesMs: 5,
  answer: 'unclear',
  answersMs: 10,
  fills: filledAt(200),
  end: null,
  ackAfterMs: 20,
};
export const lostRequest: Partial<Plan> = { ...lostAnswer, arrival: 'lost' };
export const prompt: Partial<Plan> = { ...lostAnswer, answer: 'clear' };
export const filled = { success: true, fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: 100.5 };
export const blocked = { success: false, status: 'BLOCKED', fill_status: 'REJECTED' };

/** A calm world with one gateway in it: nothing goes wrong but what the test plans. */
export class Stand {
  readonly world: World;
  process: GatewayProcess;

  private constructor(world: World, process: GatewayProcess) {
    this.world = world;
    this.process = process;
  }

  static async start(showsTags: boolean, connected = true): Promise<Stand> {
    const world = new World(1, showsTags);
    world.troubled = false;
    if (!connected) world.loginsAwayUntil = Number.POSITIVE_INFINITY;
    const stand = new Stand(world, await Stand.#boot(world));
    await world.clock.pass(1000);
    return stand;
  }

  static async #boot(world: World): Promise<GatewayProcess> {
    const process = await world.clock.settle(startProcess(world));
    if (!process) throw new Error('The gateway did not start');
    return process;
  }

  async crashAndRestart(downMs: number): Promise<void> {
    this.world.life.alive = false;
    await this.world.clock.pass(downMs);
    this.process = await Stand.#boot(this.world);
  }

  ask(change: Partial<PlaceOrderRequest> = {}, replayOnly = false): Promise<PlaceReply> {
    return this.process.orders.place(request({ idempotency_key: 'one', ...change }), { replayOnly });
  }

  async place(change: Partial<PlaceOrderRequest> = {}): Promise<PlaceReply> {
    return await this.world.clock.settle(this.ask(change));
  }

  get orders(): VenueOrder[] {
    return this.world.venue('zerodha').orders;
  }

  byHand(): VenueOrder {
    const now = this.world.now();
    const order = {
      tag: null,
      symbol: 'SBIN',
      product: 'INTRADAY',
      side: 'BUY',
      orderType: 'MARKET',
      quantity: 10,
      receivedAt: now,
      visibleAt: now,
      ackAt: now,
    };
    return this.world.venue('zerodha').take({ ...order, fills: [], end: null, averageLagMs: 0 });
  }

  /** The state of the record of the key `one`, and how long after `since` (epoch ms) it was written. */
  async record(): Promise<{ state: string | undefined; resolvedAt: number | null | undefined; orderId: string | undefined }> {
    const record = await this.world.journal.find('k:one', this.world.now());
    return { state: record?.state, resolvedAt: record?.resolvedAt, orderId: record?.orderId };
  }
}
