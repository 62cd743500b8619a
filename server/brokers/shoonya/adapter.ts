import type { Broker, BrokerDefinition, BrokerEnv, BrokerTraits, Listing } from '../broker.ts';
import { plainText } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, fundsAt } from '../parse.ts';
import { createApi, type Fields } from './api.ts';
import { orderCalls, readQuote } from './calls.ts';
import { feed } from './feed.ts';
import { connect, login, settings } from './login.ts';
import { createMargin } from './margin.ts';
import { createQuotes } from './quotes.ts';
import { holdingRow, orderSchema, positionRow, rowName, tradeRow, withId } from './rows.ts';
import { plainSymbol, products } from './wire.ts';

/** Shoonya by Finvasia, on the Noren order system with the OAuth login of 2026 (https://shoonya.com/api-documentation). */
export const shoonya: BrokerDefinition = {
  id: 'shoonya',
  name: 'Finvasia Shoonya',
  settings,
  urls: {
    api: 'https://api.shoonya.com/NorenWClientAPI',
    login: 'https://api.shoonya.com/OAuthlogin/authorize/oauth',
    feed: 'wss://api.shoonya.com/NorenWSAPI/',
    master: 'https://api.shoonya.com',
  },
  create: createShoonya,
  login,
};

/** Published for the API before this one; of the present one nothing is known. */
const aMinute = { requests: 200, perMs: 60_000 };

const traits: BrokerTraits = {
  tradedBy: ({ symbol }) => plainText(plainSymbol(symbol)),
  holdingsFall: true,
  orderLimits: [aMinute],
  readLimits: [{ requests: 10, perMs: 1_000 }, aMinute],
  unattended: false,
  availableFunds: fundsAt('cash', 'payin', 'daycash', 'unclearedcash', 'brkcollamt', 'collateral', '-marginused'),
};

function createShoonya(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'shoonya'));

  async function rows<Row>(
    what: string,
    name: string,
    schema: Parameters<typeof listing<Row>>[2],
    fields: Fields = {},
  ): Promise<Listing<Row>> {
    const answer = await api.request(name, fields);
    if (answer.success)
      return listing(what, what === 'orders' && Array.isArray(answer.data) ? answer.data.map(withId) : answer.data, schema);
    return answer.empty ? { success: true, data: [], normalized: [] } : failure(answer.message);
  }

  return {
    id: 'shoonya',
    traits,
    connect: (stored) => connect(env, api, stored),
    logout: api.logout,
    close: api.close,
    profile: () => api.read('UserDetails'),
    funds: () => api.read('Limits'),
    holdings: () => rows('holdings', 'Holdings', holdingRow, { prd: products.DELIVERY }),
    positions: () => rows('positions', 'PositionBook', positionRow),
    tradebook: () => rows('trades', 'TradeBook', tradeRow),
    orders: () => rows('orders', 'OrderBook', orderRow),
    async lastPrice(exchange, _symbol, token) {
      const { row, at } = await readQuote(env, api, exchange, token);
      return row.lp > 0 ? { price: row.lp, at } : null;
    },
    ...createMargin(env, api),
    ...createQuotes(env, api),
    feed: feed(env, api),
    ...orderCalls(env, api),
  };
}
