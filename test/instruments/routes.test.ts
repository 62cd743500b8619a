import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type FileServer, packedMaster, reader, serveFile, today } from './parts.ts';

let server: FileServer;
let gateway: TestGateway;
let letGo: () => void = () => undefined;

beforeAll(async () => {
  const body = packedMaster(2000);
  server = await serveFile(body);
  server.answer = (response) => {
    letGo = () => response.end(body);
  };
  gateway = await startGateway({ overrides: { masterReader: () => reader }, env: { ZERODHA_MASTER_URL: server.address }, connect: false });
});
afterAll(async () => {
  await gateway.stop();
  await server.close();
});

it('says that no broker is connected, then that the file is being read, then serves it', async () => {
  const ask = async () => (await gateway.call('GET', '/broker/instruments')).body;
  expect(await ask()).toEqual({ success: false, message: 'Broker Not Connected' });
  await gateway.context.autoConnect();
  expect(await ask()).toEqual({ success: false, message: 'No instruments yet: The instrument file of zerodha is being read' });
  await expect.poll(() => server.requests, { timeout: 20_000 }).toBe(1);
  letGo();
  await expect.poll(ask, { timeout: 20_000 }).toMatchObject({ success: true, as_of: today() });
});

it('searches, pages, and gives one instrument', async () => {
  const page = await gateway.call('GET', '/broker/instruments?q=nifty%20ce&limit=2');
  expect(page.body).toMatchObject({ success: true, instruments: [{ kind: 'CE', underlying: 'NIFTY' }, {}], next: expect.any(String) });
  expect(page.body.instruments[0]).toMatchObject({ exchange: 'NFO', strike: 20_000, lot_size: 50, tick_size: 0.05, isin: null });
  const next = await gateway.call('GET', `/broker/instruments?q=nifty%20ce&limit=2&after=${page.body.next}`);
  expect(next.body.instruments[0].strike).toBe(20_100);
  const [{ symbol }] = page.body.instruments;
  const one = await gateway.call('GET', `/broker/instruments/NFO/${encodeURIComponent(symbol)}`);
  expect(one.body).toEqual({ success: true, instrument: page.body.instruments[0], as_of: today() });
  const index = await gateway.call('GET', '/broker/instruments/NSE_INDEX/NIFTY%2050');
  expect(index.body.instrument).toMatchObject({ instrument: 'NSE_INDEX:NIFTY', broker_symbol: 'NIFTY 50' });
});

it.each([
  ['/broker/instruments?kind=WARRANT', /^kind: /],
  ['/broker/instruments?exchange=NYSE', /^exchange: /],
  ['/broker/instruments?expiry=soon', /^expiry: /],
  ['/broker/instruments?strike_from=low', /^strike_from: /],
  ['/broker/instruments?after=x', /^after: /],
  ['/broker/instruments/NSE/NOSUCH', /lists no NSE:NOSUCH/],
])('answers %s with what is wrong', async (path, message) => {
  const answer = await gateway.call('GET', path);
  expect(answer).toMatchObject({ status: 200, body: { success: false, message: expect.stringMatching(message) } });
});

it('refuses a page of nothing and of too much', async () => {
  for (const limit of ['0', '501', 'many']) expect((await gateway.call('GET', `/broker/instruments?limit=${limit}`)).status).toBe(422);
});
