import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { quoted } from '../instruments.ts';
import type { Instrument, Quote } from '../types.ts';
import type { Frame, Link, Tick } from './stream.ts';

/** Prices as the Noren order system streams them, for the emulators that speak it: JSON, all values text. A subscription is answered whole, then with what changes. */

/** Touchline, or depth with it. */
export type Kind = 't' | 'd';
export type Row = Readonly<Record<string, string>>;

const Asked = z.object({ t: z.enum(['t', 'd', 'u', 'ud']), k: z.string() });
const first = { t: 'tk', d: 'dk' } as const;
const later = { t: 'tf', d: 'df' } as const;

export interface NorenPrices {
  /** Takes a frame that subscribes or ends that; false when it is another. */
  message(frame: unknown): boolean;
  ticks(moved: readonly Tick[]): Frame[];
}

interface Parts {
  exchange: Exchange;
  link: Link;
  /** All members but the type, each as text; `e` and `tk` name the instrument. */
  row(instrument: Instrument, quote: Quote, kind: Kind): Row;
  /** Whether the end of a subscription is answered. */
  answersEnd: boolean;
}

/** The subscriptions of one connection. */
export function norenPrices({ exchange, link, row, answersEnd }: Parts): NorenPrices {
  const told = { t: new Map<Instrument, Row>(), d: new Map<Instrument, Row>() };

  function subscribe(kind: Kind, instrument: Instrument): void {
    const whole = row(instrument, exchange.quote(instrument), kind);
    told[kind].set(instrument, whole);
    link.wants.add(instrument);
    link.send(JSON.stringify({ t: first[kind], ...whole }));
  }

  function unsubscribe(kind: Kind, instrument: Instrument): void {
    told[kind].delete(instrument);
    if (!told.t.has(instrument) && !told.d.has(instrument)) link.wants.delete(instrument);
  }

  /** What changed of an instrument; nothing when it is the same. */
  function changed(kind: Kind, { instrument, quote }: Tick): Frame[] {
    const before = told[kind].get(instrument);
    if (!before) return [];
    const now = row(instrument, quote, kind);
    told[kind].set(instrument, now);
    const news = Object.entries(now).filter(([name, value]) => value !== before[name]);
    if (news.every(([name]) => name === 'ft')) return [];
    return [JSON.stringify({ t: later[kind], e: now.e, tk: now.tk, ...Object.fromEntries(news) })];
  }

  return {
    message(frame) {
      const { data } = Asked.safeParse(frame);
      if (!data) return false;
      const kind = data.t === 'd' || data.t === 'ud' ? 'd' : 't';
      const act = data.t === kind ? subscribe : unsubscribe;
      for (const instrument of instrumentsOf(data.k)) act(kind, instrument);
      if (act === unsubscribe && answersEnd) link.send(JSON.stringify({ t: `${data.t}k`, k: data.k }));
      return true;
    },
    ticks: (moved) => moved.flatMap((tick) => [...changed('t', tick), ...changed('d', tick)]),
  };
}

/** `NSE|22#NFO|54957`; names of nothing are passed over. */
function instrumentsOf(names: string): Instrument[] {
  return names.split('#').flatMap((name) => {
    const found = quoted.find((each) => `${each.exchange}|${each.exchangeToken}` === name);
    return found ?? [];
  });
}
