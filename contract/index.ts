import { accountRoutes } from './account.ts';
import { alertRoutes } from './alerts.ts';
import { eventRoutes } from './events.ts';
import { exitRoutes } from './exits.ts';
import { instrumentRoutes } from './instruments.ts';
import { killSwitchRoutes } from './kill-switch.ts';
import { loginRoutes } from './login.ts';
import { marginRoutes } from './margin.ts';
import { orderRoutes } from './orders.ts';
import { overviewRoutes } from './overview.ts';
import { profitRoutes } from './profit.ts';
import { quoteRoutes } from './quotes.ts';
import { recordRoutes } from './records.ts';
import { selftestRoutes } from './selftest.ts';
import { sessionRoutes } from './session.ts';
import { userRoutes } from './users.ts';

/** The table of contents: every operation this gateway promises, by operation id. */
export const contract = {
  connectBroker: sessionRoutes.connectBroker,
  disconnectBroker: sessionRoutes.disconnectBroker,
  beginLogin: loginRoutes.beginLogin,
  finishLogin: loginRoutes.finishLogin,
  getProfile: accountRoutes.getProfile,
  getFunds: accountRoutes.getFunds,
  getHoldings: accountRoutes.getHoldings,
  getPositions: accountRoutes.getPositions,
  planExits: exitRoutes.planExits,
  exitPositions: exitRoutes.exitPositions,
  getOrderMargin: marginRoutes.getOrderMargin,
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
  getAlerts: alertRoutes.getAlerts,
  testAlerts: alertRoutes.testAlerts,
  getOverview: overviewRoutes.getOverview,
  listRecordedPositions: recordRoutes.listRecordedPositions,
  listRecordedOrders: recordRoutes.listRecordedOrders,
  listRecordedTrades: recordRoutes.listRecordedTrades,
  listUsers: userRoutes.listUsers,
  addUser: userRoutes.addUser,
  revokeUser: userRoutes.revokeUser,
  getProfit: profitRoutes.getProfit,
  getPrices: profitRoutes.getPrices,
  getLatencies: profitRoutes.getLatencies,
};
export type Contract = typeof contract;
export type OperationId = keyof Contract;

export * from './alerts.ts';
export * from './common.ts';
export * from './events.ts';
export * from './exits.ts';
export * from './instruments.ts';
export * from './kill-switch.ts';
export * from './login.ts';
export * from './margin.ts';
export * from './orders.ts';
export * from './overview.ts';
export * from './profit.ts';
export * from './quotes.ts';
export * from './records.ts';
export * from './rows.ts';
export * from './selftest.ts';
export * from './session.ts';
export * from './users.ts';
export * from './words.ts';
