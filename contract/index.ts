import { accountRoutes } from './account.ts';
import { eventRoutes } from './events.ts';
import { instrumentRoutes } from './instruments.ts';
import { killSwitchRoutes } from './kill-switch.ts';
import { orderRoutes } from './orders.ts';
import { quoteRoutes } from './quotes.ts';
import { selftestRoutes } from './selftest.ts';
import { sessionRoutes } from './session.ts';

/** The table of contents: every operation this gateway promises, by operation id. */
export const contract = {
  connectBroker: sessionRoutes.connectBroker,
  disconnectBroker: sessionRoutes.disconnectBroker,
  getProfile: accountRoutes.getProfile,
  getFunds: accountRoutes.getFunds,
  getHoldings: accountRoutes.getHoldings,
  getPositions: accountRoutes.getPositions,
  listOrders: orderRoutes.listOrders,
  getOrder: orderRoutes.getOrder,
  placeOrder: orderRoutes.placeOrder,
  modifyOrder: orderRoutes.modifyOrder,
  cancelOrder: orderRoutes.cancelOrder,
  getSupportedBrokers: sessionRoutes.getSupportedBrokers,
  testBroker: selftestRoutes.testBroker,
  testSession: selftestRoutes.testSession,
  getTradebook: orderRoutes.getTradebook,
  getQuotes: quoteRoutes.getQuotes,
  getKillSwitch: killSwitchRoutes.getKillSwitch,
  setKillSwitch: killSwitchRoutes.setKillSwitch,
  searchInstruments: instrumentRoutes.searchInstruments,
  getInstrument: instrumentRoutes.getInstrument,
  listEvents: eventRoutes.listEvents,
};
export type Contract = typeof contract;
export type OperationId = keyof Contract;

export * from './common.ts';
export * from './events.ts';
export * from './instruments.ts';
export * from './kill-switch.ts';
export * from './orders.ts';
export * from './quotes.ts';
export * from './rows.ts';
export * from './selftest.ts';
export * from './session.ts';
export * from './words.ts';
