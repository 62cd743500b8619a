import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrokerId } from '../../contract/words.ts';
import { tradingDay } from '../clock.ts';
import type { Finding } from './findings.ts';
import { type Latencies, type ReadName, type Round, readNames, timing } from './reads.ts';
import { hider, type Shape, shapeOf } from './redact.ts';
import { tellable, type UnknownWord } from './words.ts';

/** A mutating call, written down before it is sent and again when it is answered. */
export interface Step {
  call: 'place' | 'modify' | 'cancel';
  /** sending: written before it went out, and nothing is known of it since. */
  fate: 'sending' | 'accepted' | 'rejected' | 'not_sent' | 'unknown';
}

/** What is known so far; it becomes the file. */
export interface Draft {
  broker: BrokerId;
  mode: 'practice' | 'live';
  findings: Finding[];
  latencies: Latencies;
  clockOffsetMs: number | null;
  words: readonly UnknownWord[];
  rounds: Round[];
  steps: Step[];
  /** Our own tag of the order, while it may be open. */
  openTag: string | null;
  /** Credentials, login and account: they stand nowhere in the file, whatever else goes wrong. */
  secrets: string[];
}

export function passed({ findings }: Pick<Draft, 'findings'>): boolean {
  return findings.every(({ result }) => result !== 'failed');
}

/** The draft without names, ids, tokens, numbers of accounts and amounts. */
export function redacted(draft: Draft, now: number): unknown {
  const { broker, mode, findings, words, steps, openTag } = draft;
  const hide = hider([...draft.secrets, ...idsOf(draft.rounds)]);
  return {
    broker,
    mode,
    date: tradingDay(now),
    verdict: passed(draft) ? 'nothing failed' : 'failed',
    checks: findings.map(({ name, result, says }) => ({ name, result, says: hide(says) })),
    latency_ms: Object.fromEntries(Object.entries(draft.latencies).flatMap(([name, ms]) => (ms.length > 0 ? [[name, timing(ms)]] : []))),
    clock_offset_ms: draft.clockOffsetMs,
    unknown_words: words.map(({ kind, word }) => ({ kind, word: tellable(word) ? hide(word) : 'not a plain word' })),
    shapes: shapesOf(draft.rounds.at(-1), hide),
    order_steps: steps,
    ...(openTag !== null && { order_may_be_open: { tag: openTag } }),
  };
}

function shapesOf(round: Round | undefined, hide: (text: string) => string): Partial<Record<ReadName, Shape>> {
  if (!round) return {};
  return Object.fromEntries(
    readNames.flatMap((name) => {
      const answer = round[name];
      if (!answer?.success) return [];
      const shape = Object.entries(shapeOf(answer.data)).map(([member, patterns]) => [hide(member), patterns.map(hide)]);
      return [[name, Object.fromEntries(shape)]];
    }),
  );
}

function idsOf(rounds: readonly Round[]): string[] {
  return rounds.flatMap(({ orders, trades }) => [
    ...(orders.success ? orders.normalized.flatMap(({ order_id, tag }) => [order_id, tag ?? '']) : []),
    ...(trades?.success ? trades.normalized.map(({ trade_id }) => trade_id) : []),
  ]);
}

export function reportFile(dataDir: string, broker: BrokerId, now: number): string {
  return join(dataDir, `certify-${broker}-${tradingDay(now)}.json`);
}

/** Durable when it resolves: what is to be sent next is on disk. */
export async function writeReport(file: string, draft: Draft, now: number): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(redacted(draft, now), null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}
