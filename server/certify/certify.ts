import type { Broker, BrokerDefinition, StoredLogin } from '../brokers/broker.ts';
import type { FeedInstrument } from '../brokers/feed.ts';
import type { Clock, Random } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { brokerEnv, hasFeed, textOf } from '../session/brokers.ts';
import { Budgets } from '../session/budgets.ts';
import { bookChecks } from './book-checks.ts';
import { bestOf } from './check.ts';
import { FeedWatch } from './feed.ts';
import { countsOf, type Finding, failed, lineOf, notTold, ok, type Result, type Said } from './findings.ts';
import type { Open } from './order.ts';
import { orderMode } from './order-mode.ts';
import { positionChecks } from './position-checks.ts';
import type { OrderAsked } from './price.ts';
import { readFindings } from './read-checks.ts';
import { createReader, noLatencies, type Reader } from './reads.ts';
import { type Draft, passed, reportFile, writeReport } from './report.ts';
import { lastPriceOf, seenInstruments } from './seen.ts';
import { wordLog } from './words.ts';

/** What the person wants beyond the reads. */
export interface Wanted {
  watch: FeedInstrument | null;
  order: OrderAsked | null;
}

export interface CertifyParts {
  definition: BrokerDefinition;
  /** With addresses that lead where the broker is to be looked for. */
  config: Config;
  stored: StoredLogin | null;
  /** A login that was made lives on, for the gateway too. */
  keep(account: string, login: StoredLogin): Promise<void>;
  clock: Clock;
  random: Random;
  isOpen(exchange: string): boolean;
  say(line: string): void;
  ask(question: string): Promise<string>;
  stopped(): boolean;
}

export interface Certified {
  passed: boolean;
  counts: Record<Result, number>;
  file: string;
  open: Open | null;
}

interface Run extends CertifyParts {
  broker: Broker;
  reader: Reader;
  draft: Draft;
  offsets: readonly number[];
  found(finding: Finding): void;
  write(): Promise<void>;
}

const ROUNDS = 3;

/** Looks at one broker through its adapter and writes what was seen. Changes nothing there without `wanted.order`. */
export async function certify(wanted: Wanted, parts: CertifyParts): Promise<Certified> {
  const { definition, config, clock, say } = parts;
  const { log, words } = wordLog();
  const offsets: number[] = [];
  const env = brokerEnv({ ...parts, definitions: {}, log }, definition, () => undefined);
  const broker = definition.create({ ...env, onOffset: (ms) => void offsets.push(ms) });
  const draft: Draft = { ...emptyDraft(parts), words };
  const file = reportFile(config.dataDir, definition.id, clock.now());
  const found = (finding: Finding) => {
    draft.findings.push(finding);
    say(lineOf(finding));
  };
  const reads = new Budgets({ clock, limits: config.practiceLimits, recentSends: async () => [] }).reads(broker);
  const write = () => writeReport(file, draft, clock.now());
  const run: Run = { ...parts, broker, reader: createReader(broker, reads, clock), draft, offsets, found, write };
  let open: Open | null = null;
  try {
    if (await signIn(run)) open = await examine(wanted, run);
  } finally {
    await broker.close();
  }
  // What may be open must be told even where the disk is full.
  await write().catch((error: unknown) => found({ name: 'report', ...failed('it cannot be written', textOf(error)) }));
  return { passed: passed(draft), counts: countsOf(draft.findings), file, open };
}

function emptyDraft({ definition, config, stored }: CertifyParts): Omit<Draft, 'words'> {
  const credentials = Object.values(config.broker[definition.id].credentials).filter((value) => value !== undefined);
  return {
    broker: definition.id,
    mode: config.mode,
    findings: [],
    latencies: noLatencies(),
    clockOffsetMs: null,
    rounds: [],
    steps: [],
    openTag: null,
    secrets: [...credentials, ...Object.values(stored?.values ?? {})],
  };
}

async function signIn({ broker, stored, keep, draft, found, clock }: Run): Promise<boolean> {
  const began = clock.mono();
  const connected = await broker.connect(stored).catch((error: unknown) => ({ success: false as const, message: textOf(error) }));
  if (!connected.success) {
    found({ name: 'sign-in', ...failed('the broker did not take the login, or none is configured', connected.message) });
    return false;
  }
  const { account, login } = connected;
  draft.secrets.push(account, ...Object.values(login.values));
  await keep(account, login);
  found({ name: 'sign-in', ...ok(`signed in after ${Math.round(clock.mono() - began)} ms`, account) });
  return true;
}

async function examine({ watch, order }: Wanted, run: Run): Promise<Open | null> {
  const { broker, reader, draft, found, clock, config, isOpen } = run;
  const { latencies, rounds } = draft;
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await reader.round(latencies));
  for (const finding of readFindings(rounds, latencies)) found(finding);
  const facts = { traits: broker.traits, now: clock.now(), unknownWords: [...new Set(draft.words.map(({ word }) => word))] };
  for (const check of [...bookChecks, ...positionChecks]) found({ name: check.name, ...bestOf(check, rounds, facts) });
  found({ name: 'clock', ...clockText(run) });

  const feed = new FeedWatch({ ...run, log: wordLog().log, isOpen });
  try {
    const chosen = watch ?? order;
    if (hasFeed(config.broker[broker.id])) feed.start(chosen ? [chosen] : seenInstruments(rounds));
    const known = feed.instrument && (await lastPriceOf(feed.instrument, run, rounds));
    for (const finding of await feed.findings(known)) found(finding);
    if (!order) return null;
    const last = (await lastPriceOf(order, run, rounds)) ?? (chosen === order ? feed.price : null);
    const open = await orderMode(order, { ...run, feed, last });
    // The order's own row, for its shape.
    if (draft.steps.length > 0) rounds.push(await reader.round(noLatencies()));
    return open;
  } finally {
    await feed.stop();
  }
}

/** The HTTP Date has whole seconds: half of one is taken off. */
const GRAIN_MS = 500;
const FAR_OFF_MS = 5000;

function clockText({ offsets, draft }: Run): Said {
  const middle = offsets.toSorted((a, b) => a - b)[offsets.length >> 1];
  if (middle === undefined) return notTold('the answers have no Date');
  const ahead = middle - GRAIN_MS;
  draft.clockOffsetMs = ahead;
  const seconds = (Math.abs(ahead) / 1000).toFixed(1);
  const says = `this machine's clock is ${seconds} s ${ahead < 0 ? 'behind' : 'ahead of'} the broker's`;
  return Math.abs(ahead) > FAR_OFF_MS ? failed(`${says}: set it, orders are found again by their time`) : ok(says);
}
