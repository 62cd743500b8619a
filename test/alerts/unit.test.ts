import { describe, expect, it } from 'vitest';
import type { Alert } from '../../server/alerts/alert.ts';
import { isDue, lineOf } from '../../server/alerts/all-well.ts';
import { Delivery, MOST_WAITING } from '../../server/alerts/delivery.ts';
import { Gatherer } from '../../server/alerts/gatherer.ts';
import { type Known, look, type Parts } from '../../server/alerts/look.ts';
import type { Delivered } from '../../server/alerts/post.ts';
import { type Change, Standings } from '../../server/alerts/standing.ts';
import { tradingCalendar } from '../../server/calendar/calendar.ts';
import { marketOf } from '../../server/calendar/market.ts';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';
import { Big } from '../../server/money.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const words = ({ news }: Change) => news.map(({ kind, state }) => `${kind} ${state}`);
const away = { key: 'database', kind: 'database', message: 'x' } as const;
const judged = new Set(['database'] as const);

describe('what lasts', () => {
  /** Looks once a second; `found` tells whether it is there. What was told, with the second. */
  function tell(seconds: number, found: (second: number) => boolean, standings = new Standings()): string[] {
    return Array.from({ length: seconds }, (_, second) => second).flatMap((second) =>
      words(standings.look(found(second) ? [away] : [], judged, second * 1000, second * 1000)).map((word) => `${second} ${word}`),
    );
  }
  it('is told when it has held a while, and when it is over', () => {
    expect(tell(100, (second) => second >= 5 && second < 50)).toEqual(['15 database began', '55 database over']);
  });
  it('is not told when it did not hold', () => {
    expect(tell(200, (second) => second % 10 < 9)).toEqual([]);
  });
  it('is reminded of seldom', () => {
    expect(tell(4000, () => true)).toEqual(['10 database began', '1810 database reminder', '3610 database reminder']);
  });
  it('that comes and goes is told at most once in ten minutes', () => {
    const told = tell(3600, (second) => second % 40 < 20);
    expect(told.filter((word) => word.endsWith('began'))).toHaveLength(6);
    expect(told.filter((word) => word.endsWith('over'))).toHaveLength(6);
  });
  it('is not told again by the next process, and its end is', () => {
    const standings = new Standings();
    standings.load([{ ...away, since: 0, toldAt: 0 }]);
    expect(tell(60, (second) => second < 30, standings)).toEqual(['35 database over']);
  });
  it('of a kind that could not be judged stays', () => {
    const standings = new Standings();
    standings.load([{ ...away, since: 0, toldAt: 0 }]);
    expect(words(standings.look([], new Set(), 60_000, 60_000))).toEqual([]);
    expect(standings.has('database')).toBe(true);
  });
});

describe('a storm', () => {
  it('is one alert at once and one a minute', () => {
    const gatherer = new Gatherer(seededRandom(1), 'live');
    const alerts = new Map<string, { alert: Alert; dueAt: number }>();
    for (let second = 0; second < 180; second += 1) {
      const news = { kind: 'order_rejected', state: 'happened', message: `order ${second}` } as const;
      for (const planned of gatherer.take([news], second * 1000)) alerts.set(planned.alert.id, planned);
    }
    const all = [...alerts.values()];
    expect(all.map(({ dueAt }) => dueAt / 1000)).toEqual([0, 60, 120, 180, 240]);
    expect(all.reduce((sum, { alert }) => sum + alert.count, 0)).toBe(180);
    expect(all[1]?.alert.message.split('\n')).toHaveLength(11);
  });
  it('of different kinds is not gathered', () => {
    const gatherer = new Gatherer(seededRandom(1), 'live');
    const news = (['database', 'feed_silent'] as const).flatMap((kind) =>
      (['began', 'over'] as const).map((state) => ({ kind, state, message: '' })),
    );
    expect(gatherer.take(news, 0)).toHaveLength(4);
  });
});

describe('a queue', () => {
  function queue(answers: () => Delivered) {
    const clock = new VirtualClock();
    const sent: string[] = [];
    const refused: string[] = [];
    let tries = 0;
    const send = async (body: string) => {
      tries += 1;
      const answer = answers();
      if (answer.ok) sent.push(body);
      return answer;
    };
    const delivery = new Delivery({
      clock,
      random: seededRandom(7),
      log: silentLog(),
      channel: { name: 'webhook', host: 'h', send, close: async () => undefined },
      sent: async () => undefined,
      refused: ({ body }) => void refused.push(body),
    });
    delivery.start();
    const put = (id: number) => {
      const gone = delivery.put({ id: `${id}`, channel: 'webhook', body: `${id}`, dueAt: 0, sent: false }, true);
      delivery.release(new Set());
      return gone;
    };
    return { clock, sent, refused, delivery, put, tries: () => tries };
  }
  const failure: Delivered = { ok: false, why: 'HTTP 503', hopeless: false, pauseMs: 0 };

  it('tries again with growing pauses, for an hour and longer, and goes on where it was', async () => {
    let isWell = false;
    const { clock, sent, put, tries } = queue(() => (isWell ? { ok: true } : failure));
    for (let id = 0; id < 3; id += 1) put(id);
    await clock.pass(3_600_000);
    expect(sent).toEqual([]);
    expect(tries()).toBeGreaterThan(15);
    expect(tries()).toBeLessThan(40);
    isWell = true;
    await clock.pass(600_000);
    expect(sent).toEqual(['0', '1', '2']);
  });
  it('waits as long as the receiver asks', async () => {
    const { clock, put, tries } = queue(() => ({ ...failure, pauseMs: 1_800_000 }));
    put(1);
    await clock.pass(1_790_000);
    expect(tries()).toBe(1);
    await clock.pass(20_000);
    expect(tries()).toBe(2);
  });
  it('gives up what is refused for what it holds', async () => {
    const { clock, refused, sent, put } = queue(() => ({ ok: false, why: 'HTTP 400', hopeless: true, pauseMs: 0 }));
    put(1);
    await clock.pass(600_000);
    expect([refused, sent]).toEqual([['1'], []]);
  });
  it('is bounded: the oldest go, the alert that tells of it stays', async () => {
    const { delivery, put } = queue(() => failure);
    const gone: string[] = [];
    for (let id = 0; id < MOST_WAITING + 100; id += 1) gone.push(...put(id).map((row) => row.id));
    expect(gone.slice(0, 3)).toEqual(['0', '1', '2']);
    delivery.putFirst({ id: 'lost', channel: 'webhook', body: 'lost', dueAt: 0, sent: false });
    for (let id = 1000; id < 3000; id += 1) gone.push(...put(id).map((row) => row.id));
    expect(gone).not.toContain('lost');
    expect(delivery.state()).toMatchObject({ waiting: MOST_WAITING + 1, dropped: gone.length });
  });
});

describe('the line of the day', () => {
  const at = (time: string) => Date.parse(`2026-11-20T${time}:00+05:30`);
  it('is due once a day, from its time on', () => {
    expect(isDue(at('15:44'), '15:45', null)).toBe(false);
    expect(isDue(at('15:45'), '15:45', null)).toBe(true);
    expect(isDue(at('23:00'), '15:45', at('15:46'))).toBe(false);
    expect(isDue(at('15:50'), '15:45', at('15:46') - 86_400_000)).toBe(true);
  });
  it('says what is not well, and what is not known', () => {
    const wrong = [{ key: 'database', kind: 'database', message: '', since: at('10:00'), toldAt: 0 } as const];
    expect(lineOf(null, null, wrong, true)).toBe(
      'Not all is well: The database does not answer (since 2026-11-20 10:00 IST); no broker connected; the records could not be read; the kill switch is ON',
    );
    expect(lineOf('dhan', { orders: 1, fills: 2, profit: { total: null, known: new Big('-12.5') } }, [], false)).toBe(
      'All is well; dhan connected; 1 order; 2 fills; profit -12.50 rupees without positions whose price is not known',
    );
  });
});

describe('what a look finds', () => {
  const calendar = marketOf('live', tradingCalendar());
  const nobody = { endedByPerson: null, exchanges: ['NSE'], profit: null, failing: false };
  const at = (text: string) => Date.parse(`${text}:00+05:30`);
  function found(time: string, change: Partial<Parts> = {}, known: Partial<Known> = {}, limit: string | null = null, told = false) {
    const parts: Parts = {
      clock: { ...systemClock, now: () => at(time) },
      activeBroker: () => null,
      nextTryAt: () => null,
      settled: () => true,
      brokers: ['zerodha'],
      unresolved: () => [],
      feedSilentMs: () => 0,
      isOpen: calendar.isOpen,
      calendarEnds: null,
      ...change,
    };
    const { findings, judged } = look(parts, { ...nobody, ...known }, limit, told);
    return { kinds: findings.map(({ kind }) => kind), judged };
  }
  it.each([
    ['2026-11-20T08:59', []],
    ['2026-11-20T09:00', ['login_needed']],
    ['2026-11-20T15:29', ['login_needed']],
    ['2026-11-20T15:30', []],
    ['2026-11-21T10:00', []],
    ['2026-11-24T10:00', []],
  ])('a login is needed at %s: %j', (time, kinds) => expect(found(time).kinds).toEqual(kinds));
  it('a login is needed in the evening where commodities are traded', () => {
    expect(found('2026-11-24T16:50', {}, { exchanges: ['MCX'] }).kinds).toEqual(['login_needed']);
    expect(found('2026-11-24T11:00', {}, { exchanges: ['MCX'] }).kinds).toEqual([]);
  });
  it('nobody is asked to sign in who left by hand, who never had a broker, or while the brokers are still tried', () => {
    expect(found('2026-11-20T10:00', {}, { endedByPerson: true }).kinds).toEqual([]);
    expect(found('2026-11-20T10:00', { brokers: [] }).kinds).toEqual([]);
    expect(found('2026-11-20T10:00', { brokers: [] }, { endedByPerson: false }).kinds).toEqual(['login_needed']);
    const starting = found('2026-11-20T10:00', { settled: () => false });
    expect([starting.kinds, starting.judged.has('login_needed')]).toEqual([[], false]);
  });
  it('a feed is silent after a minute, with a session', () => {
    const silent = { activeBroker: () => 'zerodha', feedSilentMs: () => 60_000 };
    expect(found('2026-11-20T10:00', silent).kinds).toEqual(['feed_silent']);
    expect(found('2026-11-20T10:00', { ...silent, feedSilentMs: () => 59_999 }).kinds).toEqual([]);
  });
  it('an order is unknown 30 s after its send', () => {
    const order = (startedAt: number) => ({ tag: 't', symbol: 'SBIN', side: 'BUY', quantity: 1, startedAt });
    const unresolved = () => [order(at('2026-11-20T18:00') - 29_999), order(at('2026-11-20T18:00') - 30_000)];
    expect(found('2026-11-20T18:00', { unresolved }).kinds).toEqual(['order_unknown']);
  });
  it('a loss is told at the limit, and over below nine tenths of it; never over while a price is missing', () => {
    const loss = (total: string | null, told: boolean, known = '0') =>
      found('2026-11-20T18:00', {}, { profit: { total: total === null ? null : new Big(total), known: new Big(known) } }, '1000', told);
    expect([loss('-999.99', false).kinds, loss('-1000', false).kinds]).toEqual([[], ['daily_loss']]);
    expect([loss('-900', true).kinds, loss('-899.99', true).kinds]).toEqual([['daily_loss'], []]);
    expect([loss(null, false, '-1500').kinds, loss(null, true).judged.has('daily_loss')]).toEqual([['daily_loss'], false]);
  });
});
