import type { z } from 'zod';
import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, Connected, Listing, Read, StoredLogin } from '../broker.ts';
import { CallError, createHttp, type Reply } from '../http.ts';
import { tradedBySymbol } from '../instrument.ts';
import { listing } from '../listing.ts';
import { failure, readJson, translate } from '../parse.ts';
import { type Reading, refusable, send } from '../send-once.ts';
import * as wire from './wire.ts';

/** A broker that does not exist, with a wire protocol of its own: form bodies in, `{ok, is}` or `{ok, why, final}` out. */
export const eleventh: BrokerDefinition = {
  id: 'eleventh',
  name: 'Eleventh',
  settings: ['CLIENT', 'SECRET'],
  urls: { api: 'https://api.eleventh.invalid', login: 'https://api.eleventh.invalid', feed: 'wss://api.eleventh.invalid' },
  create: createEleventh,
};

function createEleventh(env: BrokerEnv): Broker {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let pass = '';
  const headers = () => ({ pass });

  function open(reply: Reply) {
    if (reply.status === 401 && pass !== '') {
      pass = '';
      env.onExpired('the pass is over');
    }
    return wire.envelope.safeParse(readJson(reply.text)).data;
  }

  async function ask(path: string, form?: Record<string, string>): Promise<Read> {
    const method = form ? 'POST' : 'GET';
    const reply = await http.call({ method, path, mutating: false, headers: headers(), ...(form && { form }) }).catch((error: unknown) => {
      if (error instanceof CallError) return failure(error.message);
      throw error;
    });
    if ('success' in reply) return reply;
    const body = open(reply);
    if (body?.ok && reply.status === 200) return { success: true, data: body.is };
    return failure(body && !body.ok ? body.why : `Eleventh answered HTTP ${reply.status} with a body that cannot be read`);
  }

  async function rows<Row>(what: string, path: string, schema: z.ZodType<Row>): Promise<Listing<Row>> {
    const answer = await ask(path);
    return answer.success ? listing(what, answer.data, schema) : answer;
  }

  function change(method: 'POST' | 'PUT' | 'DELETE', path: string, form?: Record<string, string>) {
    return send(http, { method, path, headers: headers(), ...(form && { form }) }, (reply): Reading | null => {
      const body = open(reply);
      if (!body) return null;
      if (!body.ok) return { orderId: '', refused: body.final, message: body.why };
      return { orderId: wire.placed.safeParse(body.is).data?.ref ?? '', refused: false, data: body.is };
    });
  }

  async function connect(stored: StoredLogin | null): Promise<Connected> {
    const { CLIENT, SECRET } = env.credentials;
    if (!CLIENT || !SECRET) return failure('ELEVENTH_CLIENT and ELEVENTH_SECRET must be set');
    const alive = stored && Date.parse(stored.expiresAt) > env.clock.now() ? stored : null;
    if (alive) {
      pass = alive.values.pass ?? '';
      return { success: true, account: CLIENT, login: alive };
    }
    const answer = await ask('/pass', { client: CLIENT, secret: SECRET });
    if (!answer.success) return answer;
    const given = wire.session.safeParse(answer.data).data;
    if (!given) return failure('Eleventh signed in without a pass');
    pass = given.pass;
    return { success: true, account: given.client, login: { values: { pass }, expiresAt: new Date(given.until).toISOString() } };
  }

  return {
    id: 'eleventh',
    traits: { tradedBy: tradedBySymbol, orderLimits: [], readLimits: [], unattended: true },
    connect,
    logout: async () => failure('Eleventh has no call that ends a pass'),
    close: http.close,
    profile: () => ask('/me'),
    funds: () => ask('/money'),
    holdings: () => rows('holdings', '/kept', wire.holdingRow),
    positions: () => rows('positions', '/open', wire.positionRow),
    async orders() {
      const book = await rows('orders', '/book', wire.orderRow);
      if (!book.success) return book;
      return { ...book, data: book.data.map((row, index) => Object.assign({ order_id: book.normalized[index]?.order_id }, row)) };
    },
    tradebook: () => rows('trades', '/trades', wire.tradeRow),
    placeOrder: (order, tag) => refusable(async () => change('POST', '/book', placeForm(order, tag))),
    modifyOrder: (asked) => refusable(async () => change('PUT', `/book/${encodeURIComponent(asked.orderid)}`, changeForm(asked))),
    cancelOrder: (orderId) => change('DELETE', `/book/${encodeURIComponent(orderId)}`),
  };
}

function placeForm(order: BrokerOrder, tag: string): Record<string, string> {
  return {
    market: translate(wire.exchanges, 'exchange', order.exchange),
    name: order.symbol,
    way: translate(wire.sides, 'transaction_type', order.transactiontype),
    kind: translate(wire.orderTypes, 'order_type', order.ordertype),
    product: translate(wire.products, 'product_type', order.producttype),
    count: order.quantity,
    price: order.price,
    trigger: order.triggerprice,
    mark: tag,
  };
}

function changeForm(change: BrokerChange): Record<string, string> {
  const form: Record<string, string> = {};
  if (change.ordertype !== undefined) form.kind = translate(wire.orderTypes, 'order_type', change.ordertype);
  if (change.quantity !== undefined) form.count = change.quantity;
  if (change.price !== undefined) form.price = change.price;
  if (change.triggerprice !== undefined) form.trigger = change.triggerprice;
  return form;
}
