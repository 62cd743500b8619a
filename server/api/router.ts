import { namesIn } from '../../contract/quotes.ts';
import { brokerIds } from '../../contract/words.ts';
import { implement, router } from './trpc.ts';

/** The operations of the contract. Keys are operation ids. */
export const appRouter = router({
  connectBroker: implement('connectBroker').mutation(({ ctx, input }) => ctx.gateway.connect(input.broker)),
  disconnectBroker: implement('disconnectBroker').mutation(({ ctx }) => ctx.gateway.disconnect()),
  beginLogin: implement('beginLogin').mutation(({ ctx, input }) => ctx.gateway.beginLogin(input.broker, ctx.user ?? 'nobody')),
  finishLogin: implement('finishLogin').mutation(({ ctx, input }) => ctx.gateway.finishLogin(input, ctx.user ?? 'nobody')),
  getProfile: implement('getProfile').query(({ ctx }) => ctx.gateway.profile()),
  getFunds: implement('getFunds').query(({ ctx }) => ctx.gateway.funds()),
  getHoldings: implement('getHoldings').query(({ ctx }) => ctx.gateway.holdings()),
  getPositions: implement('getPositions').query(({ ctx }) => ctx.gateway.positions()),
  listOrders: implement('listOrders').query(({ ctx }) => ctx.gateway.orders()),
  getOrder: implement('getOrder').query(({ ctx, input }) => ctx.gateway.order(input.order_id)),
  placeOrder: implement('placeOrder').mutation(async ({ ctx, input }) => {
    const { status, headers, body, delivered } = await ctx.gateway.place(input, { replayOnly: ctx.replayOnly });
    ctx.reply.status = status;
    ctx.reply.delivered = delivered;
    Object.assign(ctx.reply.headers, headers);
    return body;
  }),
  modifyOrder: implement('modifyOrder').mutation(({ ctx, input }) => ctx.gateway.modify(input)),
  cancelOrder: implement('cancelOrder').mutation(({ ctx, input }) => ctx.gateway.cancel(input)),
  getOrderMargin: implement('getOrderMargin').mutation(({ ctx, input }) => ctx.gateway.orderMargin(input)),
  planExits: implement('planExits').query(({ ctx, input }) => ctx.gateway.planExits(input.holdings === 'true')),
  exitPositions: implement('exitPositions').mutation(async ({ ctx, input }) => {
    const { headers, body } = await ctx.gateway.exitPositions(input, ctx.user ?? 'nobody', { replayOnly: ctx.replayOnly });
    Object.assign(ctx.reply.headers, headers);
    return body;
  }),
  getSupportedBrokers: implement('getSupportedBrokers').query(() => ({
    success: true as const,
    brokers: [...brokerIds],
    count: brokerIds.length,
  })),
  testBroker: implement('testBroker').mutation(({ ctx, input }) => ctx.gateway.testBroker(input.broker_name)),
  testSession: implement('testSession').mutation(({ ctx }) => ctx.gateway.testSession()),
  getTradebook: implement('getTradebook').query(({ ctx }) => ctx.gateway.tradebook()),
  getQuotes: implement('getQuotes').query(({ ctx, input }) => ctx.gateway.quotes(namesIn(input.instruments))),
  getKillSwitch: implement('getKillSwitch').query(({ ctx }) => ctx.gateway.killSwitch()),
  setKillSwitch: implement('setKillSwitch').mutation(({ ctx, input }) => ctx.gateway.setKillSwitch(input.on, ctx.user ?? 'nobody')),
  searchInstruments: implement('searchInstruments').query(({ ctx, input }) => ctx.gateway.searchInstruments(input)),
  getInstrument: implement('getInstrument').query(({ ctx, input }) => ctx.gateway.instrument(input.exchange, input.symbol)),
  getOverview: implement('getOverview').query(({ ctx }) => ctx.gateway.overview()),
  listRecordedPositions: implement('listRecordedPositions').query(({ ctx, input }) => ctx.gateway.recordedPositions(input)),
  listRecordedOrders: implement('listRecordedOrders').query(({ ctx, input }) => ctx.gateway.recordedOrders(input)),
  listRecordedTrades: implement('listRecordedTrades').query(({ ctx, input }) => ctx.gateway.recordedTrades(input)),
  listUsers: implement('listUsers').query(({ ctx }) => ctx.gateway.listUsers(ctx.user ?? 'nobody')),
  addUser: implement('addUser').mutation(({ ctx, input }) => ctx.gateway.addUser(input.name, ctx.user ?? 'nobody')),
  revokeUser: implement('revokeUser').mutation(({ ctx, input }) =>
    ctx.gateway.revokeUser(input.name, { user: ctx.user ?? 'nobody', confirm: input.confirm }),
  ),
  getProfit: implement('getProfit').query(({ ctx, input }) => ctx.gateway.profit(input)),
  getPrices: implement('getPrices').query(({ ctx, input }) => ctx.gateway.prices(input)),
  getLatencies: implement('getLatencies').query(({ ctx, input }) => ctx.gateway.latencies(input)),
  listEvents: implement('listEvents').query(({ ctx, input }) => ctx.gateway.events(input)),
  getAlerts: implement('getAlerts').query(({ ctx }) => ctx.gateway.alerts()),
  testAlerts: implement('testAlerts').mutation(({ ctx }) => ctx.gateway.testAlerts()),
});
