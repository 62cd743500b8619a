import type { Broker, BrokerDefinition, BrokerEnv, BrokerTraits } from '../broker.ts';
import { tradedBySymbol } from '../instrument.ts';
import { failure, fundsAt } from '../parse.ts';
import { createApi } from './api.ts';
import { orderCalls } from './calls.ts';
import { feed, PRICES_URL } from './feed.ts';
import { connect, logout, type Profile, readLimits, settings } from './login.ts';
import { createMargin } from './margin.ts';
import { masterFiles } from './master-files.ts';
import { createQuoteLists, createQuotes } from './quotes.ts';
import { rowReads } from './reads.ts';

/** Kotak Neo Trade API. `api` is the fixed sign-in host; a login names the host that serves the customer. */
export const kotak: BrokerDefinition = {
  id: 'kotak',
  name: 'Kotak Neo',
  settings,
  urls: {
    api: 'https://mis.kotaksecurities.com',
    login: 'https://mis.kotaksecurities.com',
    feed: PRICES_URL,
    master: 'https://lapi.kotaksecurities.com',
  },
  create: createKotak,
};

const traits: BrokerTraits = {
  tradedBy: tradedBySymbol,
  holdingsFall: true,
  // Kotak counts ten calls a second over all its interfaces: three for orders, as many for the quotes that price them, three for reads, one to spare.
  orderLimits: [{ requests: 3, perMs: 1_000 }],
  readLimits: [{ requests: 3, perMs: 1_000 }],
  unattended: true,
  availableFunds: fundsAt('Net'),
};

function createKotak(env: BrokerEnv): Broker {
  const api = createApi(env);
  const quote = createQuotes(env, api);
  let profile: Profile | null = null;

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
    ...rowReads(env, api),
    async lastPrice(exchange, _symbol, token) {
      const row = await quote(exchange, token);
      return row && { price: row.quote.ltp, at: row.at };
    },
    masterFiles: () => masterFiles(env, api),
    ...createMargin(api),
    ...createQuoteLists(env, api),
    feed: feed(env, api, () => profile),
    ...orderCalls(env, api, quote),
  };
}
