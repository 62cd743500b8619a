import { describe, expect, test } from 'vitest';
import { createExchange } from '../../server/exchange/exchange.ts';
import { instruments } from '../../server/exchange/instruments.ts';
import type { NewOrder } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { manualClock } from './manual-clock.ts';

/** The exchanges' own rules, for new orders and for changes of resting ones. Exchange, symbol, product, smallest quantity. */
const names = {
  share: ['NSE', 'NHPC', 'INTRADAY', 1],
  'penny share': ['NSE', 'YESBANK', 'INTRADAY', 1],
  'share of BSE': ['BSE', 'SBIN', 'INTRADAY', 1],
  'index future': ['NFO', 'NIFTY26DECFUT', 'CARRYFORWARD', 65],
  'bank future': ['NFO', 'BANKNIFTY26DECFUT', 'CARRYFORWARD', 30],
  'stock future': ['NFO', 'SBIN26DECFUT', 'CARRYFORWARD', 750],
  'index option': ['NFO', 'NIFTY26DEC26000CE', 'CARRYFORWARD', 65],
  'stock option': ['NFO', 'RELIANCE26DEC1520PE', 'CARRYFORWARD', 500],
  'BSE index future': ['BFO', 'SENSEX26DECFUT', 'CARRYFORWARD', 20],
  'BSE index option': ['BFO', 'SENSEX26DEC85500CE', 'CARRYFORWARD', 20],
  commodity: ['MCX', 'GOLDM26DECFUT', 'CARRYFORWARD', 1],
  currency: ['CDS', 'USDINR26DECFUT', 'CARRYFORWARD', 1],
} as const;
type Name = keyof typeof names;

/** An account where one price stands. */
function floor(name: Name, last: string) {
  const exchange = createExchange({ clock: manualClock(), log: silentLog(), seed: 7, transitMs: [0, 0] });
  const [venue, symbol, product, quantity] = names[name];
  exchange.setPrice(venue, symbol, last);
  const account = exchange.account('zerodha');
  const place = (order: Partial<NewOrder>) =>
    account.place({ exchange: venue, symbol, product, quantity, side: 'BUY', orderType: 'LIMIT', ...order });
  /** Of a new order, at once or in the book; null where it rests or fills. */
  function refusal(order: Partial<NewOrder>) {
    const placed = place(order);
    return placed.ok ? (account.order(placed.order.orderId)?.refusal ?? null) : placed.refusal;
  }
  function rest(order: Partial<NewOrder>): string {
    const placed = place(order);
    if (!placed.ok) throw new Error(placed.refusal.code);
    return placed.order.orderId;
  }
  return { account, refusal, rest };
}

test.each([
  ['share', 'BUY', '79', '80', '82.4', '82.41'],
  ['share', 'SELL', '81', '80', '77.6', '77.59'],
  ['penny share', 'BUY', '22.6', '23', '24.5', '24.51'],
  ['penny share', 'SELL', '22.6', '22.5', '21', '20.99'],
  ['share of BSE', 'BUY', '800', '810', '834.3', '834.35'],
  ['index future', 'SELL', '26000', '25900', '25123', '25122.9'],
  ['index option', 'BUY', '200', '210', '252', '252.05'],
  ['stock option', 'BUY', '30', '32', '42', '42.05'],
  ['stock option', 'SELL', '52', '50', '40', '39.95'],
  ['commodity', 'BUY', '124000', '125000', '128750', '128751'],
  ['currency', 'BUY', '89', '90', '92.7', '92.7025'],
] as const)(
  '%s, %s: a stop whose limit lies beyond the band is refused, new or changed',
  (name, side, last, triggerPrice, edge, beyond) => {
    const { account, refusal, rest } = floor(name, last);
    const stop = { side, orderType: 'SL', triggerPrice } as const;
    expect(refusal({ ...stop, price: beyond })).toMatchObject({ code: 'STOP_BAND', facts: { price: beyond, trigger: triggerPrice } });
    const orderId = rest({ ...stop, price: edge });
    expect(account.order(orderId)).toMatchObject({ state: 'TRIGGER_PENDING', refusal: null });
    expect(account.modify(orderId, { price: beyond })).toMatchObject({ ok: false, refusal: { code: 'STOP_BAND' } });
    expect(account.order(orderId)).toMatchObject({ state: 'TRIGGER_PENDING', price: edge });
  },
);

test.each([
  ['index future', '26000', '25500', 27, 1_800],
  ['bank future', '58900', '58000', 20, 600],
  ['stock future', '815', '800', 40, 30_000],
  ['index option', '240', '200', 27, 1_800],
  ['stock option', '32', '30', 40, 20_000],
  ['BSE index future', '85400', '85000', 50, 1_000],
  ['BSE index option', '780', '700', 50, 1_000],
  ['commodity', '124500', '124000', 10_000, 10_000],
  ['currency', '89.2', '89', 10_000, 10_000],
] as const)('%s: a quantity above the freeze is refused, new or changed', (name, last, price, lots, freeze) => {
  const { account, refusal, rest } = floor(name, last);
  const lot = names[name][3];
  const frozen = { code: 'FREEZE', facts: { quantity: String((lots + 1) * lot), freeze: String(freeze) } };
  expect(refusal({ price, quantity: (lots + 1) * lot })).toEqual(frozen);
  expect(refusal({ price, quantity: lots * lot })?.code).not.toBe('FREEZE');
  const orderId = rest({ price });
  expect(account.modify(orderId, { quantity: (lots + 1) * lot })).toEqual({ ok: false, refusal: frozen });
  expect(account.order(orderId)).toMatchObject({ state: 'OPEN', quantity: lot });
});

test('shares know no freeze', () => {
  expect(floor('penny share', '22.6').refusal({ price: '22', quantity: 200_000 })).toBeNull();
});

test('circuits, ticks and lots hold for a change too', () => {
  const { account, rest } = floor('index future', '26000');
  const orderId = rest({ price: '25500' });
  for (const [code, change] of [
    ['CIRCUIT', { price: '23000' }],
    ['CIRCUIT', { price: '29000' }],
    ['CIRCUIT', { orderType: 'SL', triggerPrice: '29000', price: '29000' }],
    ['TICK', { price: '25500.05' }],
    ['LOT', { quantity: 66 }],
  ] as const) {
    expect(account.modify(orderId, change), JSON.stringify(change)).toMatchObject({ ok: false, refusal: { code } });
  }
  expect(account.order(orderId)).toMatchObject({ state: 'OPEN', price: '25500', quantity: 65 });
});

describe('SL-M', () => {
  test.each([
    ['index option', '240', '200', '250'],
    ['share of BSE', '812', '800', '820'],
    ['BSE index future', '85400', '84000', '85500'],
    ['BSE index option', '780', '700', '790'],
  ] as const)('%s: it is withdrawn, new or changed to', (name, last, price, triggerPrice) => {
    const { account, refusal, rest } = floor(name, last);
    expect(refusal({ orderType: 'SL-M', triggerPrice })?.code).toBe('WITHDRAWN');
    const orderId = rest({ price });
    expect(account.modify(orderId, { orderType: 'SL-M', triggerPrice })).toMatchObject({ ok: false, refusal: { code: 'WITHDRAWN' } });
    expect(account.order(orderId)).toMatchObject({ state: 'OPEN', orderType: 'LIMIT' });
  });
  test.each(['share', 'index future', 'commodity', 'currency'] as const)('%s: it is taken', (name) => {
    const [last, triggerPrice] = {
      share: ['79', '80'],
      'index future': ['26000', '26100'],
      commodity: ['124000', '125000'],
      currency: ['89', '90'],
    }[name];
    const { refusal } = floor(name, last ?? '');
    expect(refusal({ orderType: 'SL-M', triggerPrice })).toBeNull();
  });
});

test.each(Object.keys(names) as Name[])('%s: the products of its exchange, and no other', (name) => {
  const { refusal } = floor(name, instruments.find(({ symbol }) => symbol === names[name][1])?.basePrice ?? '');
  const refused = (['INTRADAY', 'DELIVERY', 'CARRYFORWARD'] as const).filter(
    (product) => refusal({ orderType: 'MARKET', product })?.code === 'PRODUCT',
  );
  const cash = names[name][0] === 'NSE' || names[name][0] === 'BSE';
  expect(refused).toEqual([cash ? 'CARRYFORWARD' : 'DELIVERY']);
});

describe('margin', () => {
  test.each([
    ['index future', 'BUY', { orderType: 'LIMIT', price: '25500' }, '26000', '248625', 'a share of the notional'],
    ['index future', 'SELL', { orderType: 'LIMIT', price: '26500', product: 'INTRADAY' }, '26000', '258375', 'the same intraday'],
    ['index option', 'BUY', { orderType: 'LIMIT', price: '200' }, '240', '13000', 'the premium'],
    ['index option', 'BUY', { orderType: 'LIMIT', price: '200', product: 'INTRADAY' }, '240', '13000', 'the premium intraday too'],
    ['index option', 'SELL', { orderType: 'LIMIT', price: '300' }, '240', '253500', 'a share of the strike'],
    ['commodity', 'BUY', { orderType: 'LIMIT', price: '124000' }, '124500', '186000', 'with the multiplier'],
  ] as const)('%s, %s: a resting order of %o at %s binds %s: %s', (name, side, order, last, bound, _why) => {
    const { account, rest } = floor(name, last);
    rest({ side, ...order });
    expect(account.funds()).toMatchObject({ used: bound, available: String(1_000_000 - Number(bound)) });
  });
  test('a position binds the same as the order that made it, and nothing once it is closed', () => {
    const { account, rest } = floor('index option', '240');
    rest({ side: 'SELL', orderType: 'MARKET' });
    expect(account.funds()).toMatchObject({ used: '253500' });
    rest({ side: 'BUY', orderType: 'MARKET', quantity: 130 });
    // One lot bought at 240.05 is left.
    expect(account.funds()).toMatchObject({ used: '15603.25', realised: '-6.5' });
  });
});
