import { describe, expect, test } from 'vitest';
import { createExchange } from '../../server/exchange/exchange.ts';
import { findInstrument, instruments } from '../../server/exchange/instruments.ts';
import { createPrices, TICK_MS } from '../../server/exchange/prices.ts';
import type { Effects, NewOrder } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { manualClock } from './manual-clock.ts';

const sbin: NewOrder = { exchange: 'NSE', symbol: 'SBIN', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 10 };

function floor(transitMs: readonly [number, number] = [0, 0], effects: Effects = {}) {
  const clock = manualClock();
  const exchange = createExchange({ clock, log: silentLog(), seed: 7, transitMs });
  exchange.setPrice('NSE', 'SBIN', '800');
  const account = exchange.account('zerodha', effects);
  const place = (order: Partial<NewOrder>) => {
    const placed = account.place({ ...sbin, ...order });
    if (!placed.ok) throw new Error(placed.refusal.code);
    return placed.order.orderId;
  };
  const refusal = (order: Partial<NewOrder>) => {
    const placed = account.place({ ...sbin, ...order });
    return placed.ok ? null : placed.refusal;
  };
  const look = (orderId: string) => {
    const found = account.order(orderId);
    return found && [found.state, found.filled, found.filled ? account.trades().find((trade) => trade.orderId === orderId)?.price : null];
  };
  return { clock, exchange, account, place, refusal, look };
}

describe('orders', () => {
  test('MARKET fills at the touch', () => {
    const { place, look } = floor();
    expect(look(place({}))).toEqual(['FILLED', 10, '800.05']);
    expect(look(place({ side: 'SELL' }))).toEqual(['FILLED', 10, '799.95']);
  });

  test('a marketable LIMIT takes the better price, another rests and fills at its own', () => {
    const { place, look, exchange } = floor();
    expect(look(place({ orderType: 'LIMIT', price: '805' }))).toEqual(['FILLED', 10, '800.05']);
    const resting = place({ orderType: 'LIMIT', price: '790' });
    expect(look(resting)).toEqual(['OPEN', 0, null]);
    exchange.setPrice('NSE', 'SBIN', '780');
    expect(look(resting)).toEqual(['FILLED', 10, '790']);
  });

  test('SL triggers into a LIMIT, SL-M into a market order', () => {
    const { place, look, exchange } = floor();
    const stop = place({ orderType: 'SL', triggerPrice: '810', price: '811' });
    const market = place({ orderType: 'SL-M', triggerPrice: '812' });
    expect([look(stop), look(market)].map((seen) => seen?.[0])).toEqual(['TRIGGER_PENDING', 'TRIGGER_PENDING']);
    exchange.setPrice('NSE', 'SBIN', '810');
    expect(look(stop)).toEqual(['FILLED', 10, '810.05']);
    expect(look(market)?.[0]).toBe('TRIGGER_PENDING');
    exchange.setPrice('NSE', 'SBIN', '815');
    expect(look(market)).toEqual(['FILLED', 10, '815.05']);
  });

  test('a protected MARKET order is booked as LIMIT beyond the last price', () => {
    const { place, account } = floor();
    const order = account.order(place({ protectionPercent: '2' }));
    expect([order?.orderType, order?.askedType, order?.price]).toEqual(['LIMIT', 'MARKET', '816']);
  });

  test('modify and cancel', () => {
    const { place, account, look } = floor();
    const resting = place({ orderType: 'LIMIT', price: '790' });
    expect(account.modify(resting, { price: '791', quantity: 20 }).ok).toBe(true);
    const states = account.order(resting)?.history.map((line) => line.state);
    expect(states).toEqual(['RECEIVED', 'VALIDATION', 'OPEN_PENDING', 'OPEN', 'MODIFY_VALIDATION', 'MODIFY_PENDING', 'MODIFIED', 'OPEN']);
    expect(account.modify(resting, { price: '801' }).ok).toBe(true);
    expect(look(resting)).toEqual(['FILLED', 20, '800.05']);
    const other = place({ orderType: 'LIMIT', price: '790' });
    expect(account.cancel(other).ok).toBe(true);
    expect(look(other)?.[0]).toBe('CANCELLED');
    expect(account.cancel(other)).toMatchObject({ ok: false, refusal: { code: 'FINISHED' } });
    expect(account.cancel('1')).toMatchObject({ ok: false, refusal: { code: 'NOT_FOUND' } });
  });

  test('IOC takes what it gets and the rest is cancelled', () => {
    const { place, look } = floor();
    expect(look(place({ validity: 'IOC' }))).toEqual(['FILLED', 10, '800.05']);
    expect(look(place({ validity: 'IOC', orderType: 'LIMIT', price: '790' }))).toEqual(['CANCELLED', 0, null]);
  });

  test('a cancel sent while the order is under way ends it', () => {
    const { clock, place, account, look } = floor([0, 20]);
    for (let round = 0; round < 10; round++) {
      const orderId = place({ orderType: 'LIMIT', price: '790' });
      expect(account.cancel(orderId).ok).toBe(true);
      clock.pass(40);
      expect(look(orderId)?.[0]).toBe('CANCELLED');
    }
  });

  test('transit: received, open pending, then open', () => {
    const { clock, place, look } = floor([20, 20]);
    const orderId = place({ orderType: 'LIMIT', price: '790' });
    const seen = [0, 10, 10].map((ms) => {
      clock.pass(ms);
      return look(orderId)?.[0];
    });
    expect(seen).toEqual(['RECEIVED', 'OPEN_PENDING', 'OPEN']);
  });

  test('a fill plan fills in parts, and without a rest leaves the remainder resting', () => {
    const plan = [3, 4].map((quantity, index) => ({ quantity, afterMs: index * 100 }));
    const { clock, place, look, account } = floor([0, 0], { plan });
    const orderId = place({});
    expect(look(orderId)).toEqual(['OPEN', 3, '800.05']);
    clock.pass(100);
    expect(look(orderId)?.[1]).toBe(7);
    clock.pass(60_000);
    expect(look(orderId)?.[1]).toBe(7);
    expect(account.modify(orderId, { quantity: 7 })).toMatchObject({ ok: false, refusal: { code: 'QUANTITY' } });
    account.cancel(orderId);
    expect(look(orderId)).toEqual(['CANCELLED', 7, '800.05']);
  });

  test('a planned part never trades beyond the limit', () => {
    const { clock, exchange, place, account } = floor([0, 0], {
      plan: [5, 5].map((quantity, index) => ({ quantity, afterMs: index * 100 })),
    });
    place({ orderType: 'LIMIT', price: '802' });
    exchange.setPrice('NSE', 'SBIN', '805');
    clock.pass(100);
    expect(account.trades().map((trade) => trade.price)).toEqual(['800.05', '802']);
  });

  test('an after-market order is taken up at 09:15 the next morning', () => {
    const { clock, place, look } = floor();
    const orderId = place({ variety: 'AMO', orderType: 'LIMIT', price: '805' });
    expect(look(orderId)?.[0]).toBe('AMO_RECEIVED');
    clock.pass(23 * 3_600_000);
    expect(look(orderId)?.[0]).toBe('AMO_RECEIVED');
    clock.pass(3_600_000);
    expect(look(orderId)).toEqual(['FILLED', 10, '800.05']);
  });

  test('DAY ends at midnight in India, DELIVERY becomes a holding, open positions are carried', () => {
    const { clock, place, account, exchange } = floor();
    const resting = place({ orderType: 'LIMIT', price: '790' });
    place({ product: 'DELIVERY' });
    place({});
    clock.pass(86_400_000);
    expect(account.orders()).toEqual([]);
    expect(exchange.ledger().orders.find((order) => order.orderId === resting)?.status).toBe('EXPIRED');
    expect(account.positions()).toMatchObject([{ product: 'INTRADAY', net: 10, overnight: 10, dayBuyQuantity: 0, buyValue: '8000.5' }]);
    expect(account.holdings().find((holding) => holding.symbol === 'SBIN')).toMatchObject({ quantity: 60, averagePrice: '784.5083' });
    expect(account.funds().opening).toBe('991999.5');
  });
});

describe('refusals', () => {
  test.each([
    ['INSTRUMENT', { symbol: 'NOSUCH' }],
    ['QUANTITY', { quantity: 0 }],
    ['LOT', { exchange: 'NFO', symbol: 'NIFTY26DECFUT', quantity: 10 }],
    ['PRODUCT', { product: 'CARRYFORWARD' }],
    ['PRODUCT', { exchange: 'NFO', symbol: 'NIFTY26DECFUT', quantity: 65, product: 'DELIVERY' }],
    ['PRICE', { orderType: 'LIMIT', price: '0' }],
    ['TRIGGER', { orderType: 'SL', price: '810' }],
    ['TICK', { orderType: 'LIMIT', price: '800.01' }],
    ['CIRCUIT', { orderType: 'LIMIT', price: '700' }],
    ['STOP_SIDE', { orderType: 'SL', triggerPrice: '790', price: '795' }],
    ['VALIDITY', { exchange: 'MCX', symbol: 'GOLDM26DECFUT', quantity: 1, validity: 'IOC' }],
    ['HOLDING', { side: 'SELL', product: 'DELIVERY', quantity: 51 }],
  ] satisfies [string, Partial<NewOrder>][])('%s %o', (code, order) => {
    const { refusal, exchange } = floor();
    expect(refusal(order)?.code).toBe(code);
    expect(exchange.ledger().orders).toEqual([]);
  });

  test('margin: the full value, a fifth of it intraday, nothing to close', () => {
    const { refusal, place, account } = floor();
    expect(refusal({ product: 'DELIVERY', quantity: 1_250 })).toMatchObject({ code: 'MARGIN', facts: { required: '1000062.50' } });
    place({ quantity: 6_000 });
    expect(account.funds()).toMatchObject({ used: '960060', available: '39940' });
    expect(refusal({ quantity: 1_000 })?.code).toBe('MARGIN');
    place({ side: 'SELL', quantity: 6_000, orderType: 'LIMIT', price: '805' });
    expect(account.funds().used).toBe('960060');
  });

  test('a resting order binds margin until it ends', () => {
    const { place, account } = floor();
    const resting = place({ orderType: 'LIMIT', price: '790', quantity: 100 });
    expect(account.funds().used).toBe('15800');
    account.cancel(resting);
    expect(account.funds().used).toBe('0');
  });

  test('what is being sold already counts: shares cannot be sold twice, a second closing order opens', () => {
    const { place, refusal, account } = floor();
    const resting = { side: 'SELL', orderType: 'LIMIT', price: '850' } as const;
    place({ ...resting, product: 'DELIVERY', quantity: 30 });
    expect(refusal({ ...resting, product: 'DELIVERY', quantity: 30 })).toMatchObject({ code: 'HOLDING', facts: { available: '20' } });
    place({});
    place(resting);
    expect(account.funds().used).toBe('1600.1');
    place(resting);
    expect(account.funds().used).toBe('3300.1');
  });

  test('SL-M on an option and a planted risk rejection turn REJECTED in the book', () => {
    const option = { exchange: 'NFO', symbol: 'NIFTY26DEC26000CE', quantity: 65, orderType: 'SL-M', triggerPrice: '400' } as const;
    const { place, account } = floor();
    expect(account.order(place(option))).toMatchObject({ state: 'REJECTED', refusal: { code: 'WITHDRAWN' } });
    const risky = floor([0, 0], { rejectByRisk: true });
    expect(risky.account.order(risky.place({}))).toMatchObject({ state: 'REJECTED', refusal: { code: 'RISK' }, filled: 0 });
    const underway = floor([20, 20], { rejectByRisk: true });
    underway.place({});
    expect(underway.account.funds().used).toBe('0');
  });
});

describe('what reads show', () => {
  test('a late order is in no read before its time, and in the ledger at once', () => {
    const { clock, place, account, look, exchange } = floor([0, 0], { visibleAfterMs: 500 });
    const orderId = place({});
    expect([look(orderId), account.orders(), account.trades(), account.positions()]).toEqual([undefined, [], [], []]);
    expect(exchange.ledger().orders).toMatchObject([{ orderId, status: 'FILLED', filled: 10 }]);
    clock.pass(500);
    expect(look(orderId)?.[0]).toBe('FILLED');
    expect(account.positions()).toMatchObject([{ net: 10 }]);
  });

  test('lagging positions show what was', () => {
    const { clock, place, exchange, account } = floor();
    place({});
    clock.pass(2_000);
    place({});
    expect(exchange.account('zerodha', { lagMs: 1_000 }).positions()).toMatchObject([{ net: 10 }]);
    expect(account.positions()).toMatchObject([{ net: 20 }]);
  });

  test('an order by hand has no tag and is no request', () => {
    const { exchange } = floor();
    exchange.placeByHand('zerodha', { ...sbin, tag: 'mine' });
    expect(exchange.ledger()).toMatchObject({ orders: [{ tag: null, byHand: true }], requests: [], placingRequests: {} });
  });

  test('positions close first in, first out', () => {
    const { exchange, place, account } = floor();
    for (const price of ['800', '810', '820']) {
      exchange.setPrice('NSE', 'SBIN', price);
      place({});
    }
    place({ side: 'SELL', quantity: 15 });
    expect(account.positions()).toMatchObject([{ net: 15, openValue: '12250.75', realised: '248.5' }]);
  });

  test('MCX counts lots and multiplies money', () => {
    const { exchange, place, account } = floor();
    exchange.setPrice('MCX', 'CRUDEOIL26DECFUT', '5300');
    place({ exchange: 'MCX', symbol: 'CRUDEOIL26DECFUT', quantity: 2 });
    exchange.setPrice('MCX', 'CRUDEOIL26DECFUT', '5311');
    place({ exchange: 'MCX', symbol: 'CRUDEOIL26DECFUT', quantity: 2, side: 'SELL' });
    expect(account.positions()).toMatchObject([{ net: 0, multiplier: 100, realised: '1800' }]);
  });
});

describe('prices', () => {
  test('the list is as large as promised and every price stays inside its circuits, on the tick', () => {
    const count = (exchange: string) => instruments.filter((instrument) => instrument.exchange === exchange).length;
    expect(['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS'].map(count)).toEqual([32, 9, 46, 14, 8, 6]);
    const prices = createPrices(3);
    const astray = instruments.flatMap((instrument) =>
      Array.from({ length: 200 }, (_, step) => Number(prices.touch(instrument, 3_600_000_000 + step * 7_919).last))
        .filter((last) => {
          const ticks = last / Number(instrument.tick);
          const inside = last > Number(instrument.lowerCircuit) && last < Number(instrument.upperCircuit);
          return !inside || Math.abs(ticks - Math.round(ticks)) > 1e-6;
        })
        .map((last) => `${instrument.symbol} ${last}`),
    );
    expect(astray).toEqual([]);
  });

  test('a seed replays its prices, another walks elsewhere, and prices do move', () => {
    const share = findInstrument('NSE', 'RELIANCE');
    if (!share) throw new Error('no RELIANCE');
    const walk = (seed: number) => Array.from({ length: 50 }, (_, index) => createPrices(seed).touch(share, 7_000_000_000 + index).last);
    expect(walk(1)).toEqual(walk(1));
    expect(walk(1)).not.toEqual(walk(2));
    expect(new Set(walk(1)).size).toBeGreaterThan(5);
  });

  test('a resting order meets the walking price', () => {
    const { exchange, clock, place, look } = floor();
    exchange.setPrice('NSE', 'SBIN', null);
    const instrument = findInstrument('NSE', 'SBIN');
    if (!instrument) throw new Error('no SBIN');
    const { bid } = exchange.quote(instrument);
    const orderId = place({ orderType: 'LIMIT', price: bid });
    for (let tick = 0; tick < 5_000 && look(orderId)?.[0] === 'OPEN'; tick++) clock.pass(TICK_MS);
    expect(look(orderId)).toEqual(['FILLED', 10, bid]);
  });
});
