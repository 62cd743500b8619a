import { describe, expect, test } from 'vitest';
import { createExchange } from '../../server/exchange/exchange.ts';
import type { NewOrder } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { manualClock } from './manual-clock.ts';

/** Names, and what trades under them: exchange, symbol, product, smallest quantity. */
const names = {
  share: ['NSE', 'NHPC', 'INTRADAY', 1],
  'penny share': ['NSE', 'YESBANK', 'INTRADAY', 1],
  'share of BSE': ['BSE', 'SBIN', 'INTRADAY', 1],
  'index future': ['NFO', 'NIFTY26DECFUT', 'CARRYFORWARD', 65],
  'bank future': ['NFO', 'BANKNIFTY26DECFUT', 'CARRYFORWARD', 30],
  'stock future': ['NFO', 'SBIN26DECFUT', 'CARRYFORWARD', 750],
  'index option': ['NFO', 'NIFTY26DEC26000CE', 'CARRYFORWARD', 65],
  'stock option': ['NFO', 'RELIANCE26DEC1520PE', 'CARRYFORWARD', 500],
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
