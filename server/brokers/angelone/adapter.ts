import { tradingDay } from '../../clock.ts';
import type { Broker, BrokerDefinition, BrokerEnv, BrokerTraits, Read } from '../broker.ts';
import { tradedByNumber } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, fundsAt, issueText } from '../parse.ts';
import { createApi } from './api.ts';
import { ORDER_BOOK, orderCalls } from './calls.ts';
import { feed } from './feed.ts';
import { connect, logout, settings } from './login.ts';
import { createMargin } from './margin.ts';
import { createQuotes, quoteLimits } from './quotes.ts';
import { holdingRow, orderSchema, positionRow, rowName, tradeSchema, withId } from './rows.ts';
import { allHoldings } from './wire.ts';

/** Angel One, SmartAPI v1 (https://smartapi.angelone.in/docs). */
export const angelone: BrokerDefinition = {
  id: 'angelone',
  name: 'Angel One',
  settings,
  urls: {
    api: 'https://apiconnect.angelone.in',
    login: 'https://smartapi.angelone.in/publisher-login',
    feed: 'wss://smartapisocket.angelone.in/smart-stream',
    master: 'https://margincalculator.angelone.in/OpenAPI_File/files',
  },
  create: createAngelone,
};

/** A fill told by its time of day alone may seem this far ahead of our clock. */
const CLOCK_GRACE_MS = 300_000;

const traits: BrokerTraits = {
  tradedBy: tradedByNumber,
  orderLimits: [
    { requests: 500, perMs: 60_000 },
    { requests: 1_000, perMs: 3_600_000 },
  ],
  // Book, positions, holdings and trades are one a second each.
  readLimits: [{ requests: 1, perMs: 1_000 }],
  readLimitsApart: true,
  quoteLimits,
  unattended: true,
  availableFunds: fundsAt('availablecash'),
};

function createAngelone(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'angelone'));
  const calls = orderCalls(env, api);

  async function rows<Row>(what: string, path: string, schema: Parameters<typeof listing<Row>>[2]) {
    const answer = await api.read(path);
    return answer.success ? listing(what, answer.data ?? [], schema) : answer;
  }

  async function object(what: string, path: string): Promise<Read> {
    const answer = await api.read(path);
    return answer.success && answer.data === null ? failure(`${what}: Angel One answered without data`) : answer;
  }

  return {
    id: 'angelone',
    traits,
    connect: (stored) => connect(env, api, stored),
    logout: () => logout(env, api),
    close: api.close,
    profile: () => object('profile', '/user/v1/getProfile'),
    funds: () => object('funds', '/user/v1/getRMS'),
    async positions() {
      const list = await rows('positions', '/order/v1/getPosition', positionRow);
      if (list.success) calls.hold(list.normalized);
      return list;
    },
    tradebook() {
      const now = env.clock.now();
      return rows('trades', '/order/v1/getTradeBook', tradeSchema(tradingDay(now), now + CLOCK_GRACE_MS));
    },
    async holdings() {
      const answer = await api.read('/portfolio/v1/getAllHolding');
      if (!answer.success) return answer;
      const all = allHoldings.nullable().safeParse(answer.data);
      return all.success ? listing('holdings', all.data?.holdings ?? [], holdingRow) : failure(`holdings: ${issueText(all.error)}`);
    },
    async orders() {
      const answer = await api.read(ORDER_BOOK);
      if (!answer.success) return answer;
      const book = listing('orders', Array.isArray(answer.data) ? answer.data.map(withId) : (answer.data ?? []), orderRow);
      if (book.success) calls.learn(book.data);
      return book;
    },
    placeOrder: calls.placeOrder,
    modifyOrder: calls.modifyOrder,
    cancelOrder: calls.cancelOrder,
    ...createMargin(env, api),
    ...createQuotes(env, api),
    feed: feed(env, api),
  };
}
