import type { Broker, BrokerDefinition, BrokerEnv, BrokerTraits } from '../broker.ts';
import { tradedBySymbol } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { failure, fundsAt } from '../parse.ts';
import { createApi } from './api.ts';
import { orderCalls, tradedSegments } from './calls.ts';
import { feed } from './feed.ts';
import { createInstrumentList } from './instruments.ts';
import { createBook, createTradeBook, rowsOf } from './lists.ts';
import { connect, logout } from './login.ts';
import { createMargin } from './margin.ts';
import { createPositionPrices } from './position-price.ts';
import { createQuotes, quoteLimits } from './quotes.ts';
import { holdingRow, positionRow, profile, rowName, type Segment, segmentOf } from './wire.ts';

/** Groww Trading API (https://groww.in/trade-api/docs). */
export const groww: BrokerDefinition = {
  id: 'groww',
  name: 'Groww',
  settings: ['API_KEY', 'TOTP_SECRET', 'API_SECRET', 'ACCESS_TOKEN'],
  urls: {
    api: 'https://api.groww.in',
    login: 'https://api.groww.in',
    feed: 'wss://socket-api.groww.in',
    master: 'https://growwapi-assets.groww.in/instruments',
  },
  create: createGroww,
};

/** Whether a read without a segment covers all of them is not documented: each that the account has is asked for. */
const readSegments: readonly Segment[] = ['CASH', 'FNO', 'COMMODITY'];

const traits: Omit<BrokerTraits, 'unattended'> = {
  tradedBy: tradedBySymbol,
  orderLimits: [{ requests: 250, perMs: 60_000 }],
  // Groww allows 20 and 500; one of our reads is one call for each of three segments, and a book of over a hundred orders has more pages.
  readLimits: [
    { requests: 6, perMs: 1_000 },
    { requests: 150, perMs: 60_000 },
  ],
  quoteLimits,
  availableFunds: fundsAt('equity_margin_details.cnc_balance_available'),
};

function createGroww(env: BrokerEnv): Broker {
  const api = createApi(env);
  const list = createInstrumentList(env);
  const inRupees = createPositionPrices(api, segmentOf);
  const listing = createListing(env.log, rowName);
  const tradeBook = createTradeBook(api, env, segmentOf);
  let segments = tradedSegments;
  const { everywhere, orders, detail } = createBook(api, env, () => segments);

  return {
    id: 'groww',
    traits: { ...traits, unattended: Boolean(env.credentials.API_KEY && env.credentials.TOTP_SECRET) },
    async connect(stored) {
      const connected = await connect(env, api, stored);
      const active = connected.success ? (profile.safeParse(connected.data).data?.active_segments ?? []) : [];
      const known = readSegments.filter((segment) => active.includes(segment));
      segments = known.length > 0 ? known : tradedSegments;
      return connected;
    },
    logout: () => logout(api),
    async close() {
      list.close();
      await api.close();
    },
    profile: () => api.read('/v1/user/detail'),
    funds: () => api.read('/v1/margins/detail/user'),
    async holdings() {
      const answer = await rowsOf(api, '/v1/holdings/user', 'holdings');
      return answer.success ? listing('holdings', answer.data, holdingRow) : failure(answer.message);
    },
    async positions() {
      const answer = await everywhere((segment) => rowsOf(api, '/v1/positions/user', 'positions', { segment }));
      if (!answer.success) return failure(answer.message);
      const told = listing('positions', answer.data, positionRow);
      return told.success ? { ...told, normalized: await inRupees(told.normalized) } : told;
    },
    orders,
    tradebook: async () => tradeBook(await orders()),
    ...createMargin(api),
    ...createQuotes(env, api),
    feed: feed(env, api, list),
    ...orderCalls(env, api, orders, detail),
  };
}
