import type { z } from 'zod';
import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, Connected, Listing, StoredLogin } from '../broker.ts';
import { createClient } from '../client.ts';
import type { Dialect } from '../dialect.ts';
import { tradedBySymbol } from '../instrument.ts';
import { listing } from '../listing.ts';
import { living } from '../login-trial.ts';
import { failure, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import * as wire from './wire.ts';

/** A broker that does not exist, with a wire protocol of its own: form bodies in, `{ok, is}` or `{ok, why, final}` out. */
export const eleventh: BrokerDefinition = {
  id: 'eleventh',
  name: 'Eleventh',
  settings: ['CLIENT', 'SECRET'],
  urls: {
    api: 'https://api.eleventh.invalid',
    login: 'https://api.eleventh.invalid',
    feed: 'wss://api.eleventh.invalid',
    master: 'https://api.eleventh.invalid',
  },
  create: createEleventh,
};

const dialect: Dialect<string> = {
  name: 'Eleventh',
  nobody: '',
  headers: (pass) => ({ pass }),
  read({ status, json }) {
    const body = wire.envelope.safeParse(json()).data;
    if (body?.ok) return { success: true, data: body.is };
    const expired = status === 401;
    if (!body) return expired ? { success: false, message: 'the pass is over', expired } : null;
    return { success: false, message: body.why, expired, definite: body.final };
  },
};

function createEleventh(env: BrokerEnv): Broker {
  const client = createClient(env, dialect);

  async function rows<Row>(what: string, path: string, schema: z.ZodType<Row>): Promise<Listing<Row>> {
    const answer = await client.read(path);
    return answer.success ? listing(what, answer.data, schema) : answer;
  }

  const change = (method: 'POST' | 'PUT' | 'DELETE', path: string, form?: Record<string, string>) =>
    client.change({ method, path, ...(form && { form }) }, (data) => ({ orderId: wire.placed.safeParse(data).data?.ref ?? '' }));

  async function connect(stored: StoredLogin | null): Promise<Connected> {
    const { CLIENT, SECRET } = env.credentials;
    if (!CLIENT || !SECRET) return failure('ELEVENTH_CLIENT and ELEVENTH_SECRET must be set');
    const kept = living(stored, env);
    if (kept) {
      client.signIn(kept.values.pass ?? '', true);
      return { success: true, account: CLIENT, login: kept };
    }
    const answer = await client.ask({ method: 'POST', path: '/pass', form: { client: CLIENT, secret: SECRET } });
    if (!answer.success) return failure(answer.message);
    const given = wire.session.safeParse(answer.data).data;
    if (!given) return failure('Eleventh signed in without a pass');
    client.signIn(given.pass, true);
    return {
      success: true,
      account: given.client,
      login: { values: { pass: given.pass }, expiresAt: new Date(given.until).toISOString() },
    };
  }

  return {
    id: 'eleventh',
    traits: { tradedBy: tradedBySymbol, orderLimits: [], readLimits: [], unattended: true },
    connect,
    logout: async () => failure('Eleventh has no call that ends a pass'),
    close: client.close,
    profile: () => client.read('/me'),
    funds: () => client.read('/money'),
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
