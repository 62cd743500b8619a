import { namesIn } from '../../contract/quotes.ts';
import { brokerIds } from '../../contract/words.ts';
import { implement, router } from './trpc.ts';

/** The operations of the contract. Keys are operation ids. */
export const appRouter = router({
  connectBroker: implement('connectBroker').mutation(({ ctx, input }) => ctx.gateway.connect(input.broker)),
  disconnectBroker: implement('disconnectBroker').mutation(({ ctx }) => ctx.gateway.disconnect()),
  getProfile: implement('getProfile').query(({ ctx }) => ctx.gateway.profile()),
  getFunds: implement('getFunds').query(({ ctx }) => ctx.gateway.funds()),
  getHoldings: implement('getHoldings').query(({ ctx }) => ctx.gateway.holdings()),
  getPositions: implement('getPositions').query(({ ctx }) => ctx.gateway.positions()),
  listOrders: implement('listOrders').query(({ ctx }) => ctx.gateway.orders()),
  // trpc-to-openapi hands path parameters over still percent-encoded; the edge has refused malformed ones.
  getOrder: implement('getOrder').query(({ ctx, input }) => ctx.gateway.order(decodeURIComponent(input.order_id))),
  placeOrder: implement('placeOrder').mutation(async ({ ctx, input }) => {
    const { status, headers, body, delivered } = await ctx.gateway.place(input, { replayOnly: ctx.replayOnly });
    ctx.reply.status = status;
    ctx.reply.delivered = delivered;
    Object.assign(ctx.reply.headers, headers);
    return body;
  }),
  modifyOrder: implement('modifyOrder').mutation(({ ctx, input }) => ctx.gateway.modify(input)),
  cancelOrder: implement('cancelOrder').mutation(({ ctx, input }) => ctx.gateway.cancel(input)),
  getSupportedBrokers: implement('getSupportedBrokers').query(() => ({
    success: true as const,
    brokers: [...brokerIds],
    count: brokerIds.length,
  })),
  testBroker: implement('testBroker').mutation(({ ctx, input }) => ctx.gateway.testBroker(decodeURIComponent(input.broker_name))),
  testSession: implement('testSession').mutation(({ ctx }) => ctx.gateway.testSession()),
  getTradebook: implement('getTradebook').query(({ ctx }) => ctx.gateway.tradebook()),
  getQuotes: implement('getQuotes').query(({ ctx, input }) => ctx.gateway.quotes(namesIn(input.instruments))),
  getKillSwitch: implement('getKillSwitch').query(({ ctx }) => ctx.gateway.killSwitch()),
  setKillSwitch: implement('setKillSwitch').mutation(({ ctx, input }) => ctx.gateway.setKillSwitch(input.on, ctx.user ?? 'nobody')),
  searchInstruments: implement('searchInstruments').query(({ ctx, input }) => ctx.gateway.searchInstruments(input)),
  getInstrument: implement('getInstrument').query(({ ctx, input }) =>
    ctx.gateway.instrument(decodeURIComponent(input.exchange), decodeURIComponent(input.symbol)),
  ),
  listEvents: implement('listEvents').query(({ ctx, input }) => ctx.gateway.events(Number(input.after ?? 0), Number(input.limit ?? 100))),
});
