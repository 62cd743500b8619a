import { pino } from 'pino';
import { Endings } from '../../server/orders/endings.ts';
import { Entry } from '../../server/orders/entry.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

/** Stored answers in one instrument, and orders in it that end them. */
export function stand() {
  const clock = new VirtualClock();
  const journal = new MemoryJournal();
  const stopping = new AbortController();
  const logged: { level: number; msg: string; error?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) });
  const endings = new Endings({ clock, journal, log, stop: stopping.signal });
  const instrument = { symbol: 'SBIN' };
  /** An order that was begun just now; its answer is stored. */
  async function order(key: string, side = 'BUY'): Promise<Entry> {
    const entry = new Entry(key, 'hash', clock.mono());
    const standing = attempt({ key, tag: `tag${key}`, side, state: 'DONE', response: '{}', expiresAt: clock.now() + 60_000 });
    await journal.begin(standing, { kind: 'order.done' }, clock.now());
    entry.hold(standing);
    return entry;
  }
  /** An order's answer is stored; returns what says that it was delivered. */
  const sent = (entry: Entry) => endings.sent(entry, instrument);
  /** An open position blocked an order; returns what says that its answer stands. */
  const blocked = (key: string, lifeMs = 60_000, tag = `tag${key}`) => endings.blocked(instrument, { key, tag }, lifeMs);
  const filled = (entry: Entry, where: object = instrument) => endings.filled(entry, where);
  const stands = async (key: string) => {
    await clock.pass(1);
    return (await journal.find(key, clock.now())) !== null;
  };
  /** Whether the wait for the ends of a key is over. */
  function waiting(key: string): { over: boolean } {
    const wait = { over: false };
    void endings.over(key).then(() => {
      wait.over = true;
    });
    return wait;
  }
  return { clock, journal, endings, stop: () => stopping.abort(), logged, order, stands, sent, blocked, filled, waiting };
}
