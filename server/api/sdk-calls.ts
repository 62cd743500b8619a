/** How the SDK calls an operation, given its body as TypeScript writes it. Operations that do not stand here are asked with fetch. */
export const sdkCalls: Readonly<Record<string, (body: string) => string>> = {
  connectBroker: () => "console.log(await gateway.connect('zerodha'));",
  disconnectBroker: () => 'console.log(await gateway.disconnect());',
  getSupportedBrokers: () => 'console.log((await gateway.supported()).brokers);',
  testBroker: () => "console.log(await gateway.test('zerodha'));",
  testSession: () => 'console.log(await gateway.test());',
  getProfile: () => 'console.log(await gateway.profile());',
  getFunds: () => 'console.log(await gateway.funds());',
  getHoldings: () => 'console.log((await gateway.holdings()).normalized);',
  getPositions: () => 'console.log((await gateway.positions()).normalized);',
  getTradebook: () => 'console.log(await gateway.tradebook());',
  getKillSwitch: () => 'console.log(await gateway.killSwitch());',
  setKillSwitch: () => 'console.log(await gateway.setKillSwitch(true));',
  placeOrder: (body) =>
    `const order = await gateway.place(${body});\nconsole.log(order.order_id, order.fill_status, order.filled_quantity, order.avg_fill_price);`,
  modifyOrder: (body) => `console.log(await gateway.modify(${body}));`,
  getOrderMargin: (body) => `const margin = await gateway.margin(${body});\nconsole.log(margin.required, margin.available);`,
  cancelOrder: () => "console.log(await gateway.cancel('1953341975595868160'));",
  listOrders: () => 'console.log((await gateway.orders()).normalized);',
  getOrder: () => "console.log(await gateway.order('1953341975595868160'));",
  planExits: () =>
    'for (const { instrument, side, quantity, cancels } of (await gateway.planExits()).positions) console.log(instrument, side, quantity, cancels);',
  exitPositions: (body) =>
    `const report = await gateway.exit(${body});\nfor (const { instrument, outcome, message } of report.positions) console.log(instrument, outcome, message);`,
  beginLogin: () => "const { state, address, message } = await gateway.beginLogin('zerodha');\nconsole.log(message, address, state);",
  finishLogin: (body) => `console.log(await gateway.finishLogin(${body}));`,
  getAlerts: () => 'console.log((await gateway.alerts()).standing);',
  testAlerts: () => 'console.log((await gateway.testAlerts()).channels);',
  listUsers: () => 'console.log((await gateway.users()).users);',
  addUser: () => "console.log((await gateway.addUser('console')).token);",
  revokeUser: () => "console.log(await gateway.revokeUser('console'));",
  getOverview: () => 'console.log(await gateway.overview());',
  listRecordedPositions: () => "console.log((await gateway.recordedPositions({ status: 'OPEN' })).positions);",
  listRecordedOrders: () => 'console.log((await gateway.recordedOrders()).orders);',
  listRecordedTrades: () => 'console.log((await gateway.recordedTrades()).trades);',
  getProfit: () => 'const { realised, unrealised, total } = await gateway.profit();\nconsole.log(realised, unrealised, total);',
  getPrices: () => "console.log((await gateway.prices({ instrument: 'NSE:SBIN' })).points.at(-1));",
  getLatencies: () => 'for (const { symbol, total_ms } of (await gateway.latencies()).orders) console.log(symbol, total_ms);',
  getQuotes: () =>
    [
      "const { quotes } = await gateway.quotes(['NSE:SBIN', 'NSE:INFY']);",
      'for (const quote of quotes) console.log(quote.instrument, quote.last_price, quote.age_ms);',
    ].join('\n'),
  searchInstruments: () =>
    [
      "const { instruments } = await gateway.instruments({ underlying: 'NIFTY', kind: 'FUT' });",
      'for (const { instrument, lot_size, expiry } of instruments) console.log(instrument, lot_size, expiry);',
    ].join('\n'),
  getInstrument: () => "console.log(await gateway.instrument('NSE', 'SBIN'));",
  listEvents: () => 'console.log((await gateway.events({ limit: 10 })).events);',
  followStream: () =>
    [
      "for await (const message of gateway.stream({ instruments: ['NSE:SBIN'] })) {",
      '  console.log(message);',
      "  if (message.topic === 'tick') break;",
      '}',
    ].join('\n'),
};
