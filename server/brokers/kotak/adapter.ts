import type { Broker, BrokerDefinition, BrokerEnv, BrokerTraits, Listing } from '../broker.ts';
import type { Answer } from '../dialect.ts';
import { tradedBySymbol } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, fundsAt, issueText } from '../parse.ts';
import { portfolio, report } from './answers.ts';
import { createApi } from './api.ts';
import { orderCalls } from './calls.ts';
import { feed, PRICES_URL } from './feed.ts';
import { createLeftOut } from './left-out.ts';
import { connect, logout, type Profile, readLimits, settings } from './login.ts';
import { positionRow } from './position-row.ts';
import { createHeld, positionReport } from './positions.ts';
import { createQuotes } from './quotes.ts';
import { holdingRow, orderSchema, rowName, tradeRow, withId } from './wire.ts';

/** Kotak Neo Trade API. `api` is the fixed sign-in host; a login names the host that serves the customer. */
export const kotak: BrokerDefinition = {
  id: 'kotak',
  name: 'Kotak Neo',
  settings,
  urls: {
    api: 'https://mis.kotaksecurities.com',
    login: 'https://mis.kotaksecurities.com',
    feed: PRICES_URL,
  },
  create: createKotak,
};

const traits: BrokerTraits = {
  tradedBy: tradedBySymbol,
  holdingsFall: true,
  // Kotak counts ten calls a second over all its interfaces: six for orders, three for reads, one to spare.
  orderLimits: [{ requests: 6, perMs: 1_000 }],
  readLimits: [{ requests: 3, perMs: 1_000 }],
  unattended: true,
  availableFunds: fundsAt('Net'),
};

function createKotak(env: BrokerEnv): Broker {
  const api = createApi(env);
  const quote = createQuotes(env, api);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'kotak'));
  let profile: Profile | null = null;

  /** The rows of an answer; "No Data" is an empty list. */
  function rows<Row>(
    what: string,
    answer: Answer,
    envelope: typeof report | typeof portfolio,
    schema: Parameters<typeof listing<Row>>[2],
  ): Listing<Row> {
    if (!answer.success) return answer.empty ? { success: true, data: [], normalized: [] } : failure(answer.message);
    const body = envelope.safeParse(answer.data);
    if (!body.success) return failure(`${what}: ${issueText(body.error)}`);
    return listing(what, what === 'orders' ? body.data.data.map(withId) : body.data.data, schema);
  }

  const readHoldings = async () => rows('holdings', await api.get('/portfolio/v1/holdings'), portfolio, holdingRow);
  const readTrades = async () => rows('trades', await api.get('/quick/user/trades'), report, tradeRow);
  const askPositions = positionReport(api);
  const held = createHeld(env.clock, readHoldings);
  const leftOut = createLeftOut(env, readTrades);

  return {
    id: 'kotak',
    traits,
    async connect(stored) {
      const signedIn = await connect(env, api, stored);
      if (signedIn.profile) profile = signedIn.profile;
      return signedIn.connected;
    },
    logout: () => logout(api),
    close: api.close,
    /** What sign-in told: Kotak has no call for it. The funds are read so that a dead login does not look alive. */
    async profile() {
      const answer = await readLimits(api);
      return answer.success ? { success: true, data: profile } : failure(answer.message);
    },
    async funds() {
      const answer = await readLimits(api);
      return answer.success ? { success: true, data: answer.data } : failure(answer.message);
    },
    async holdings() {
      const list = await readHoldings();
      held.heard(list);
      return list;
    },
    async positions() {
      const list = rows('positions', await askPositions(), portfolio, positionRow);
      return list.success ? leftOut.within(await held.within(list)) : list;
    },
    async orders() {
      const list = rows('orders', await api.get('/quick/user/orders'), report, orderRow);
      leftOut.heardOrders(list);
      return list;
    },
    tradebook: readTrades,
    async lastPrice(exchange, _symbol, token) {
      const row = await quote(exchange, token);
      return row && { price: row.quote.ltp, at: row.at };
    },
    feed: feed(env, api, () => profile),
    ...orderCalls(env, api, quote),
  };
}
