import { describe, expect, it } from 'vitest';
import { practice } from './practice.ts';

/** What is groww's own; what all ten share is in test/gateway/ten.test.ts. */
const here = practice('groww');
const { bid, call, order, place, read, venue, venueOrders } = here;

describe('orders', () => {
  it('MARKET is FILLED as the venue says, booked as a protected LIMIT', async () => {
    const { body } = await place(order('SBIN'));
    const [made] = venueOrders('SBIN');
    expect(made).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), side: 'BUY', product: 'INTRADAY', quantity: 10 });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: made?.orderId });
    expect(body.avg_fill_price).toBe(Number(made?.average));
    expect(body.order_id).toMatch(/^GMK[0-9A-Z]{16}$/);
    expect(await read(body.order_id)).toMatchObject({ order_id: body.order_id, order_status: 'EXECUTED', order_type: 'LIMIT' });
    const book = await call('GET', '/broker/tradebook');
    expect(book.body.normalized.filter((trade: { order_id: string }) => trade.order_id === body.order_id)).toHaveLength(1);
  });
  it('LIMIT at the market is FILLED as the venue says', async () => {
    const price = Math.ceil(bid('INFY') * 1.02);
    const { body } = await place(order('INFY', { order_type: 'LIMIT', price, product_type: 'DELIVERY' }));
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    expect(body.avg_fill_price).toBe(Number(venueOrders('INFY')[0]?.average));
    expect(await read(body.order_id)).toMatchObject({ order_status: 'DELIVERY_AWAITED' });
  });
  it('a stop waits for its trigger', async () => {
    const trigger_price = Math.round(bid('RELIANCE') * 1.05);
    const { body } = await place(order('RELIANCE', { order_type: 'SL-M', variety: 'STOPLOSS', trigger_price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    expect(await read(body.order_id)).toMatchObject({ order_status: 'TRIGGER_PENDING', order_type: 'SL', trigger_price });
    const { price } = await read(body.order_id);
    expect(price).toBeGreaterThan(trigger_price);
    expect(price).toBeLessThanOrEqual(trigger_price * 1.0251);
    expect(body.message).toBe(`SL-M went to Groww as SL with a limit of ${price}`);
  });
  it('contracts are counted in units and read in their own segment', async () => {
    const { body } = await place(order('NIFTY26DECFUT', { quantity: 65 }, 'NFO'));
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const positions = await call('GET', '/broker/positions');
    expect(positions.body.normalized).toContainEqual(
      expect.objectContaining({ exchange: 'NFO', symbol: 'NIFTY26DECFUT', net_quantity: 65, average_price: body.avg_fill_price }),
    );
  });
  it('MCX and AMO are refused with a reason, and nothing is sent', async () => {
    const before = venue().exchange.ledger().requests.length;
    const metal = await place(order('GOLDM26DECFUT', { quantity: 1, product_type: 'CARRYFORWARD' }, 'MCX'));
    expect(metal.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('lots or units') });
    const late = await place(order('CIPLA', { variety: 'AMO' }));
    expect(late.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('AMO') });
    expect(venue().exchange.ledger().requests.length).toBe(before);
  });
  it('is rejected in Groww’s words, at once or in the book', async () => {
    const tick = await place(order('MARUTI', { order_type: 'LIMIT', price: 15_000.5 }));
    expect(tick.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('tick size') });
    const poor = await place(order('ITC', { quantity: 10_000_000 }));
    expect(poor.body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    expect(await read(poor.body.order_id)).toMatchObject({
      order_status: 'REJECTED',
      remark: expect.stringContaining('Insufficient balance'),
    });
  });
});

describe('a lost answer', () => {
  it('a dead session is signed in again without a person', async () => {
    venue().faults.plant({ kind: 'sessionExpired', operation: 'profile' });
    expect((await call('GET', '/broker/profile')).body.success).toBe(false);
    await expect.poll(async () => (await call('GET', '/broker/profile')).body.success).toBe(true);
  });
});

describe('the rows', () => {
  it('of positions carry what they cost, also after turning over', async () => {
    expect((await place(order('SBIN', { transaction_type: 'SELL', quantity: 25 }))).body).toMatchObject({ fill_status: 'FILLED' });
    const { body } = await call('GET', '/broker/positions');
    const infy = Number(venueOrders('INFY')[0]?.average);
    const sbin = Number(venueOrders('SBIN')[1]?.average);
    expect(body.normalized).toContainEqual(expect.objectContaining({ symbol: 'INFY', product_type: 'DELIVERY', average_price: infy }));
    expect(body.normalized).toContainEqual(expect.objectContaining({ symbol: 'SBIN', net_quantity: -15, average_price: sbin }));
  });
  it('of positions are read without a sign, a segment and what else may be missing', async () => {
    const rows = async () => {
      const { normalized } = (await call('GET', '/broker/positions')).body;
      return normalized.map((row: { realized_pnl: unknown }) => ({ ...row, realized_pnl: null }));
    };
    const whole = await rows();
    const { groww } = venue().switches;
    if (!groww) throw new Error('no switches');
    groww.barePositions = true;
    expect(await rows()).toEqual(whole);
    groww.barePositions = false;
  });
});
