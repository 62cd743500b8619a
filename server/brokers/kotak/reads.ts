import type { Broker, BrokerEnv, Listing } from '../broker.ts';
import type { Answer } from '../dialect.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, issueText } from '../parse.ts';
import { portfolio, report } from './answers.ts';
import type { Api } from './api.ts';
import { createLeftOut } from './left-out.ts';
import { positionRow } from './position-row.ts';
import { createHeld, positionReport } from './positions.ts';
import { holdingRow, orderSchema, rowName, tradeRow, withId } from './wire.ts';

/** The lists of an account. Positions are told with what the other lists know of them. */
export function rowReads(env: BrokerEnv, api: Api): Pick<Broker, 'holdings' | 'positions' | 'orders' | 'tradebook'> {
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'kotak'));

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
  };
}
