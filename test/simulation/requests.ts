import { PlaceOrderRequest } from '../../contract/orders.ts';
import { EXCHANGE, instruments, products, spellings, type Traded } from './instruments.ts';
import type { Venue } from './venue.ts';
import type { World } from './world.ts';

/** The orders a strategy, or several, may ask for. */
export class Requests {
  readonly #world: World;
  #keys = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Mostly in and out again. */
  draw(venue: Venue): PlaceOrderRequest {
    const { chance } = this.#world;
    const traded = chance.pick(instruments);
    const product = chance.hit(0.7) ? 'INTRADAY' : chance.pick(products);
    const net = venue.net(traded.symbol, product, this.#world.now());
    const side = net !== 0 && chance.hit(0.6) ? (net > 0 ? 'SELL' : 'BUY') : chance.pick(['BUY', 'SELL']);
    const quantity = chance.hit(0.5) && net !== 0 ? Math.abs(net) : chance.whole(1, 6);
    return this.#request(traded, { product, side, quantity });
  }

  /** Ways out of what is held: whole, in parts, two at once, by more than is held. Empty where nothing is. */
  exits(venue: Venue): PlaceOrderRequest[] {
    const { chance } = this.#world;
    const now = this.#world.now();
    const open = instruments.flatMap((traded) =>
      products.map((product) => ({ traded, product, net: venue.net(traded.symbol, product, now) })).filter(({ net }) => net !== 0),
    );
    if (open.length === 0) return [];
    const { traded, product, net } = chance.pick(open);
    const [side, held] = [net > 0 ? 'SELL' : 'BUY', Math.abs(net)];
    const way = chance.weighted({ whole: 4, part: 3, two: 4, twice: 2, more: 2 });
    const first = way === 'whole' || way === 'twice' ? held : way === 'more' ? held + chance.whole(1, 3) : chance.whole(1, held);
    const second = way === 'two' ? held - first : way === 'twice' ? held : 0;
    const sizes = [first, second].filter((quantity) => quantity > 0);
    return sizes.map((quantity) => this.#request(traded, { product, side, quantity, reduceOnly: chance.hit(0.4) }));
  }

  /** An order that takes its instrument's turn, and ways out of what our own orders made there; null where no position is ours alone. */
  pressed(venue: Venue): { entry: PlaceOrderRequest; exits: PlaceOrderRequest[] } | null {
    const { chance, judge } = this.#world;
    for (const traded of instruments) {
      for (const product of products.slice(0, 2)) {
        const net = venue.net(traded.symbol, product, this.#world.now());
        const side = net > 0 ? 'SELL' : 'BUY';
        const room = judge.truth.settledRoom({ venue, symbol: traded.symbol, product, side, quantity: 1 });
        if (net === 0 || room === null || room < 1) continue;
        const first = chance.whole(1, room);
        const sizes = [first, room - first].filter((quantity) => quantity > 0);
        const exits = sizes.map((quantity) => this.#request(traded, { product, side, quantity, reduceOnly: chance.hit(0.4) }));
        const entry = chance.hit(0.5) ? { side: net > 0 ? 'BUY' : 'SELL', quantity: 1 } : { side, quantity: room + 1 };
        return { entry: this.#request(traded, { product: entry.quantity > 1 ? 'CARRYFORWARD' : product, ...entry }), exits };
      }
    }
    return null;
  }

  /** Shares held from before, sold in slices; empty where there are none. */
  slices(venue: Venue): PlaceOrderRequest[] {
    const { chance } = this.#world;
    const traded = instruments.find((one) => venue.sellable(one.symbol, this.#world.now()) > 1);
    if (!traded) return [];
    const held = venue.sellable(traded.symbol, this.#world.now());
    const slice = Math.max(1, Math.floor(held / chance.whole(2, 4)));
    const count = chance.whole(1, Math.floor(held / slice));
    return Array.from({ length: count }, () =>
      this.#request(traded, { product: 'DELIVERY', side: 'SELL', quantity: slice, reduceOnly: chance.hit(0.3) }),
    );
  }

  /** One order under two names, and two keys. */
  twoSpellings(): PlaceOrderRequest[] {
    const { chance } = this.#world;
    const traded = chance.pick(instruments);
    const wanted = { product: 'INTRADAY', side: chance.pick(['BUY', 'SELL']), quantity: chance.whole(1, 6) };
    return spellings(traded)
      .slice(0, 2)
      .map((name) => ({ ...this.#request(traded, wanted), ...name }));
  }

  /** An order for the next session. */
  afterMarket(venue: Venue): PlaceOrderRequest {
    return { ...this.draw(venue), variety: 'AMO' };
  }

  #request(
    traded: Traded,
    { product, side, quantity, reduceOnly = false }: { product: string; side: string; quantity: number; reduceOnly?: boolean },
  ): PlaceOrderRequest {
    const { chance } = this.#world;
    const isMarket = chance.hit(0.7);
    const names = spellings(traded);
    const name = chance.hit(0.8) ? names[0] : chance.pick(names);
    this.#keys += 1;
    return PlaceOrderRequest.parse({
      ...name,
      exchange: EXCHANGE,
      transaction_type: side,
      order_type: isMarket ? 'MARKET' : 'LIMIT',
      product_type: product,
      quantity,
      price: isMarket ? 0 : 100,
      reduce_only: reduceOnly,
      ...(chance.hit(0.7) && { idempotency_key: `key-${this.#keys}` }),
    });
  }
}
