import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Remembered, Turn } from '../../server/journal/kill-switch-record.ts';
import { createKillSwitch, killSwitchOperations } from '../../server/orders/kill-switch.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';

const NEVER: Remembered = { on: false, since: null, by: null, number: 0 };
const SINCE = Date.parse('2026-11-19T06:00:00Z');

/** A store of the switch in a test's hands: `answer` decides what becomes of each write. */
class Keeper {
  readonly clock = new VirtualClock();
  readonly asked: Turn[] = [];
  readonly stored: Turn[] = [];
  readonly logged: object[] = [];
  answer: (turn: Turn) => Promise<void> = async () => undefined;
  readonly #remembered: Remembered;

  constructor(remembered: Remembered = NEVER) {
    this.#remembered = remembered;
  }

  read = async () => this.#remembered;

  async write(turn: Turn): Promise<void> {
    this.asked.push(turn);
    await this.answer(turn);
    this.stored.push(turn);
  }

  open(turnOn = false) {
    const log = pino({ base: null, timestamp: false }, { write: (line) => void this.logged.push(JSON.parse(line)) });
    return createKillSwitch({ keeper: this, clock: this.clock, log, turnOn });
  }

  /** The turns asked to be kept, as `on` and `off`. */
  words(turns: readonly Turn[]): string[] {
    return turns.map(({ on }) => (on ? 'on' : 'off'));
  }
}

const away = async () => {
  throw new Error('The store is away');
};
const outcome = (set: Promise<void>) =>
  set.then(
    () => 'stored',
    (error: Error) => error.message,
  );

describe('the kill switch at a start', () => {
  it.each([
    ['was never turned', NEVER, false, { on: false, since: null, by: null }, []],
    ['was on', { on: true, since: SINCE, by: 'first', number: 4 }, false, { on: true, since: SINCE, by: 'first' }, []],
    ['was off', { on: false, since: SINCE, by: 'signal', number: 5 }, false, { on: false, since: SINCE, by: 'signal' }, []],
    [
      'was on, and the setting says on',
      { on: true, since: SINCE, by: 'first', number: 4 },
      true,
      { on: true, since: SINCE, by: 'first' },
      [],
    ],
  ] as const)('%s', async (_, remembered, turnOn, expected, written) => {
    const keeper = new Keeper(remembered);
    expect(await keeper.open(turnOn)).toMatchObject(expected);
    expect(keeper.asked).toEqual(written);
  });
  it('is turned on by the setting, and that is remembered', async () => {
    const keeper = new Keeper({ on: false, since: SINCE, by: 'first', number: 5 });
    const turn = { on: true, since: keeper.clock.now(), by: 'setting', number: 6 };
    expect(await keeper.open(true)).toMatchObject({ on: true, since: turn.since, by: 'setting' });
    expect(keeper.stored).toEqual([turn]);
  });
  it('is told in the log as it is turned, and once where it cannot be stored, and when it is', async () => {
    const keeper = new Keeper();
    const killSwitch = await keeper.open();
    await killSwitch.set(true, 'first');
    const turned = { level: 40, msg: 'Kill switch' };
    expect(keeper.logged).toEqual([{ ...turned, on: true, by: 'first' }]);
    keeper.answer = away;
    await killSwitch.set(false, 'second').catch(() => undefined);
    await keeper.clock.pass(60_000);
    keeper.answer = async () => undefined;
    await keeper.clock.pass(60_000);
    const about = { on: false, by: 'second' };
    expect(keeper.logged.slice(1)).toEqual([
      { ...turned, ...about },
      { level: 50, ...about, error: 'Error: The store is away', msg: 'The kill switch holds but could not be stored; it is tried again' },
      { level: 40, ...about, msg: 'The kill switch is stored now' },
    ]);
  });
  it('holds by the setting although the store is away', async () => {
    const keeper = new Keeper();
    keeper.answer = away;
    expect((await keeper.open(true)).on).toBe(true);
  });
});

describe('a turn', () => {
  it('applies before anything is awaited, and tells since when and by whom', async () => {
    const keeper = new Keeper();
    const killSwitch = await keeper.open();
    await keeper.clock.pass(1234);
    const setting = killSwitch.set(true, 'first');
    expect(killSwitch).toMatchObject({ on: true, since: keeper.clock.now(), by: 'first' });
    await setting;
    expect(keeper.stored).toEqual([{ on: true, since: keeper.clock.now(), by: 'first', number: 1 }]);
  });
  it('to where it stands is none: the first one stays', async () => {
    const keeper = new Keeper();
    const killSwitch = await keeper.open();
    await killSwitch.set(false, 'nobody');
    expect(killSwitch).toMatchObject({ on: false, since: null, by: null });
    await killSwitch.set(true, 'first');
    await killSwitch.set(true, 'second');
    expect([killSwitch.by, keeper.words(keeper.stored)]).toEqual(['first', ['on']]);
  });
  it('is stored after those before it, however long they take', async () => {
    const keeper = new Keeper();
    keeper.answer = ({ number }) => keeper.clock.sleep(number === 1 ? 3000 : 0);
    const killSwitch = await keeper.open();
    const turns = ['a', 'b', 'c'].map((by, index) => outcome(killSwitch.set(index % 2 === 0, by)));
    expect(killSwitch).toMatchObject({ on: true, by: 'c' });
    expect(await keeper.clock.settle(Promise.all(turns))).toEqual(['stored', 'stored', 'stored']);
    expect(keeper.stored.map(({ by }) => by)).toEqual(['a', 'b', 'c']);
  });
});

describe('a store that fails', () => {
  it('is told at once and tried again until the turn is stored', async () => {
    const keeper = new Keeper();
    keeper.answer = away;
    const killSwitch = await keeper.open();
    const from = keeper.clock.mono();
    expect(await outcome(killSwitch.set(true, 'first'))).toBe('The store is away');
    expect(keeper.clock.mono()).toBe(from);
    await keeper.clock.pass(10_500);
    expect([killSwitch.on, keeper.asked.length, keeper.stored]).toEqual([true, 11, []]);
    expect(await outcome(killSwitch.set(true, 'first'))).toBe('The store is away');
    keeper.answer = async () => undefined;
    await keeper.clock.pass(1000);
    expect(keeper.words(keeper.stored)).toEqual(['on']);
    expect(await outcome(killSwitch.set(true, 'first'))).toBe('stored');
    await keeper.clock.pass(10_000);
    expect(keeper.asked).toHaveLength(12);
  });
  it('gets the newest turn alone when it is back', async () => {
    const keeper = new Keeper();
    keeper.answer = away;
    const killSwitch = await keeper.open();
    for (let n = 0; n < 7; n += 1) {
      expect(await keeper.clock.settle(outcome(killSwitch.set(n % 2 === 0, `user ${n}`)))).toBe('The store is away');
      await keeper.clock.pass(300);
    }
    keeper.answer = async () => undefined;
    await keeper.clock.pass(5000);
    expect(keeper.stored).toEqual([expect.objectContaining({ on: true, by: 'user 6', number: 7 })]);
  });
  it('is asked for a turn that waits at once, and not after a second', async () => {
    const keeper = new Keeper();
    keeper.answer = async ({ number }) => {
      await keeper.clock.sleep(100);
      if (number === 1) await away();
    };
    const killSwitch = await keeper.open();
    const from = keeper.clock.mono();
    const [first, second] = [outcome(killSwitch.set(true, 'first')), outcome(killSwitch.set(false, 'second'))];
    expect(await keeper.clock.settle(Promise.all([first, second]))).toEqual(['The store is away', 'stored']);
    expect(keeper.clock.mono() - from).toBe(200);
    expect(keeper.words(keeper.asked)).toEqual(['on', 'off']);
  });
  it('is left alone after a stop', async () => {
    const keeper = new Keeper();
    keeper.answer = away;
    const killSwitch = await keeper.open();
    await outcome(killSwitch.set(true, 'first'));
    await keeper.clock.settle(killSwitch.stop());
    await keeper.clock.pass(60_000);
    expect(keeper.asked).toHaveLength(1);
  });
});

describe('a stop', () => {
  it('lets turns that wait be stored first', async () => {
    const keeper = new Keeper();
    keeper.answer = () => keeper.clock.sleep(50);
    const killSwitch = await keeper.open();
    const turns = [true, false, true].map((on) => outcome(killSwitch.set(on, 'signal')));
    await keeper.clock.settle(killSwitch.stop());
    expect(keeper.words(keeper.stored)).toEqual(['on', 'off', 'on']);
    expect(await keeper.clock.settle(Promise.all(turns))).toEqual(['stored', 'stored', 'stored']);
  });
  it('does not wait for a store that hangs', async () => {
    const keeper = new Keeper();
    keeper.answer = () => new Promise(() => undefined);
    const killSwitch = await keeper.open();
    void outcome(killSwitch.set(true, 'signal'));
    const from = keeper.clock.mono();
    await keeper.clock.settle(killSwitch.stop());
    expect(keeper.clock.mono() - from).toBe(300);
  });
});

describe('a store that hangs', () => {
  it('is told after 5 s; nothing later is written beside it', async () => {
    const keeper = new Keeper();
    const hanging = Promise.withResolvers<void>();
    keeper.answer = ({ number }) => (number === 1 ? hanging.promise : Promise.resolve());
    const killSwitch = await keeper.open();
    const from = keeper.clock.mono();
    expect(await keeper.clock.settle(outcome(killSwitch.set(true, 'first')))).toBe('The store did not answer within 5 s');
    expect(keeper.clock.mono() - from).toBe(5000);
    expect(await keeper.clock.settle(outcome(killSwitch.set(false, 'second')))).toBe('The store did not answer within 5 s');
    expect([killSwitch.on, keeper.words(keeper.asked)]).toEqual([false, ['on']]);
    hanging.resolve();
    await keeper.clock.pass(0);
    expect(keeper.words(keeper.stored)).toEqual(['on', 'off']);
  });
});

describe('the operations', () => {
  it('tell where it stands', async () => {
    const keeper = new Keeper();
    const operations = killSwitchOperations(await keeper.open());
    expect(await operations.killSwitch()).toEqual({ success: true, on: false, since: null, by: null });
    const state = { success: true, on: true, since: new Date(keeper.clock.now()).toISOString(), by: 'first' };
    expect(await operations.setKillSwitch(true, 'first')).toEqual(state);
    expect(await operations.killSwitch()).toEqual(state);
  });
  it('say of a turn that is not stored that it holds and what a restart would do', async () => {
    const keeper = new Keeper();
    keeper.answer = away;
    const operations = killSwitchOperations(await keeper.open());
    expect(await operations.setKillSwitch(true, 'first')).toEqual({
      success: false,
      message: expect.stringMatching(/^The kill switch is on and this holds now, .* a restart before it is would forget it\./),
    });
    expect(await operations.killSwitch()).toMatchObject({ success: true, on: true, by: 'first' });
    expect(await keeper.clock.settle(operations.setKillSwitch(false, 'second'))).toEqual({
      success: false,
      message: expect.stringMatching(/^The kill switch is off and this holds now, /),
    });
  });
});

const KILLED = 'The kill switch is on: only orders that can do nothing but reduce a position are sent';

describe('while the kill switch is on', () => {
  it('an entry is refused before it asks for the order budget, and may come again', async () => {
    const core = new Core();
    core.killSwitch.on = true;
    const reply = await core.place();
    expect(reply).toEqual({ status: 200, headers: { 'Retry-After': '60' }, body: { success: false, message: KILLED } });
    expect([core.broker.sends, core.limiter.asked, await core.record()]).toEqual([[], [], null]);
  });
  it('an order that could flip its position is refused, although the guard lets it pass', async () => {
    const core = new Core();
    core.killSwitch.on = true;
    core.broker.net = 5;
    expect((await core.place({ transaction_type: 'SELL', quantity: 6 })).body).toEqual({ success: false, message: KILLED });
  });
  it('an order that reduces and a cancel pass', async () => {
    const core = new Core();
    core.killSwitch.on = true;
    core.broker.net = 10;
    expect((await core.place({ transaction_type: 'SELL' })).body.success).toBe(true);
    expect((await core.clock.settle(core.orders.cancel({ order_id: '1001', variety: 'NORMAL' }))).success).toBe(true);
    expect(core.limiter.asked).toEqual(['exit', 'cancel']);
  });
  it.each([
    ['CANCELLED', true],
    ['OPEN', false],
  ] as const)('an exit beside an order that rests on its side, read as %s, passes: %s', async (state, passes) => {
    const core = new Core();
    core.killSwitch.on = true;
    core.broker.net = 10;
    const record = {
      ...{ broker: 'zerodha', account: 'AB1234', exchange: 'NSE', symbol: 'SBIN', token: null, product: 'INTRADAY', side: 'SELL' },
      ...{ orderId: '77', orderType: 'LIMIT', quantity: 10, filledQuantity: 0, price: '900', external: false, tradingDay: '2026-11-20' },
    };
    core.journal.openRecords = async () => ({ orders: [record], positions: [] });
    await core.clock.settle(core.orders.recover());
    core.broker.book = [orderRow({ order_id: '77', tag: null, transaction_type: 'SELL', state })];
    expect((await core.place({ transaction_type: 'SELL' })).body.success).toBe(passes);
  });
  it('an exit passes although positions hang', async () => {
    const core = new Core();
    core.broker.net = 10;
    core.orders.wake('session');
    await core.clock.settle(core.account.positions.next('orders'));
    core.broker.readPositions = () => new Promise(() => undefined);
    core.killSwitch.on = true;
    expect((await core.place({ transaction_type: 'SELL' })).body.success).toBe(true);
  });
});

it.each(['take', 'pace'] as const)(
  'an entry that waits for the order budget (%s) while the switch is turned on is not sent',
  async (wait) => {
    const core = new Core();
    const asked = core.limiter[wait].bind(core.limiter);
    const turnedOn = async (rank: 'cancel' | 'exit' | 'entry') => {
      await core.clock.sleep(500);
      core.killSwitch.on = true;
      return await asked(rank);
    };
    Object.assign(core.limiter, { [wait]: turnedOn });
    expect((await core.place()).body).toEqual({ success: false, message: KILLED });
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
  },
);
