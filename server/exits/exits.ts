import { hash } from 'node:crypto';
import { type ExitPlan, ExitReport, type ExitRequest, type PositionName } from '../../contract/exits.ts';
import type { Account } from '../brokers/account.ts';
import type { Failure } from '../brokers/broker.ts';
import { type Random, tradingDay, within } from '../clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { named } from '../orders/naming.ts';
import type { LegFrame, LegParts } from './frame.ts';
import { LegRun } from './leg.ts';
import { type Leg, type Plan, shownPlan } from './plan.ts';
import type { ExitRecord, ExitRecords } from './records.ts';
import { survey } from './survey.ts';

/** Nothing is sent later than this after an exit began; its answer comes within the second. */
const SEND_MS = 30_000;
const ANSWER_MS = 45_000;
/** An exit that was interrupted goes on only so long after it began: later its positions are others. */
const GOES_ON_MS = 600_000;
const STORE_MS = 5000;
const CONNECT_WAIT_MS = 5000;
/** Positions that are exited at once; the order budget holds them all. */
const AT_ONCE = 12;

export interface ExitParts extends LegParts {
  random: Random;
  log: Log;
  records: ExitRecords;
  journal: Pick<Journal, 'note'>;
}

export interface ExitReply {
  headers: Record<string, string>;
  body: ExitReport | Failure;
}

export interface ExitOperations {
  /** What an exit would do now; `holdings`: of what is held from earlier days too. */
  planExits(holdings: boolean): Promise<ExitPlan | Failure>;
  /** `by`: the user's name, for the audit trail. With `replayOnly` nothing is begun or gone on with: what is known under the key is told. Never rejects. */
  exitPositions(request: ExitRequest, by: string, options: { replayOnly: boolean }): Promise<ExitReply>;
}

/** An exit that this process carries out. */
interface Running {
  requestHash: string;
  /** What is known so far; null before its plan stands. */
  report(): ExitReport | null;
  done: Promise<ExitReply>;
}

/** Exits as one operation: the plan is written down first, then each position goes its own way. They call the order service as every caller does. */
export class Exits implements ExitOperations {
  readonly #parts: ExitParts;
  readonly #running = new Map<string, Running>();
  readonly #stop = new AbortController();

  constructor(parts: ExitParts) {
    this.#parts = parts;
  }

  async planExits(holdings: boolean): Promise<ExitPlan | Failure> {
    const account = this.#parts.accounts.active();
    if (!account) return NOT_CONNECTED;
    try {
      return shownPlan(await survey(this.#parts, account, { holdings }), account.broker.id);
    } catch (error) {
      return { success: false, message: `The exit could not be planned: ${textOf(error)}` };
    }
  }

  async exitPositions(request: ExitRequest, by: string, { replayOnly }: { replayOnly: boolean }): Promise<ExitReply> {
    const key = request.idempotency_key ?? `exit-${Buffer.from(this.#parts.random.bytes(12)).toString('hex')}`;
    const requestHash = hash('sha256', JSON.stringify([request.all ?? false, request.positions ?? []]));
    const known = this.#running.get(key);
    const running = known ?? this.#begin({ key, requestHash, request, by, replayOnly });
    const reply = (await within(this.#parts.clock, ANSWER_MS, running.done)) ?? interim(running);
    return known ? replayed(reply, known.requestHash !== requestHash) : reply;
  }

  /** Sends nothing more; what was interrupted goes on with the same request after the next start. */
  stop(): void {
    this.#stop.abort();
  }

  #begin(asked: Asked): Running {
    const legs: { report: (() => ExitReport) | null } = { report: null };
    const done = this.#carryOut(asked, (report) => {
      legs.report = report;
    })
      .catch((error: unknown): ExitReply => {
        this.#parts.log.error({ error: String(error) }, 'An exit failed');
        return refused(`The exit failed: ${textOf(error)}. Read positions and orders before acting`);
      })
      .finally(() => this.#running.delete(asked.key));
    const running: Running = { requestHash: asked.requestHash, report: () => legs.report?.() ?? null, done };
    this.#running.set(asked.key, running);
    return running;
  }

  async #carryOut(asked: Asked, tell: (report: () => ExitReport) => void): Promise<ExitReply> {
    const { accounts, records } = this.#parts;
    const standing = await this.#inTime(records.find(asked.key).then((record) => ({ record })));
    if (!standing) return storeDown();
    const { record } = standing;
    if (record?.report)
      return replayed({ headers: {}, body: ExitReport.parse(JSON.parse(record.report)) }, record.requestHash !== asked.requestHash);
    if (!record && asked.replayOnly) return UNKNOWN_KEY;
    if (!accounts.active()) await accounts.settled(CONNECT_WAIT_MS);
    const account = accounts.active();
    if (!account) return { headers: {}, body: NOT_CONNECTED };
    return record ? await this.#goOn(asked, record, account, tell) : await this.#start(asked, account, tell);
  }

  async #start(asked: Asked, account: Account, tell: Tell): Promise<ExitReply> {
    const { clock, records, journal } = this.#parts;
    const plan = await this.#planOf(asked.request, account);
    if ('refused' in plan) return refused(plan.refused);
    const begunAt = clock.now();
    const who = { broker: account.broker.id, account: account.id };
    const record = { key: asked.key, requestHash: asked.requestHash, ...who, tradingDay: tradingDay(begunAt), begunAt, plan, report: null };
    if (!(await this.#inTime(records.begin(record).then(() => true)))) return storeDown();
    const detail = { by: asked.by, all: asked.request.all ?? false, positions: plan.legs.length };
    journal.note({ kind: 'exit.begun', ...who, detail }).catch(() => undefined);
    const legs = this.#legsOf(record, account, { today: true, goesOn: true });
    for (const leg of legs) leg.begin();
    tell(() => reportOf(record, legs, false));
    return await this.#run(record, legs);
  }

  /** Takes up an exit that was interrupted, or of which an order's fate was not known. */
  async #goOn(asked: Asked, record: ExitRecord, account: Account, tell: Tell): Promise<ExitReply> {
    const { clock } = this.#parts;
    if (record.broker !== account.broker.id || record.account !== account.id)
      return refused(`This exit was begun at ${record.broker} and cannot go on at another account; use another key for a new one`);
    const today = record.tradingDay === tradingDay(clock.now());
    const goesOn = today && clock.now() - record.begunAt < GOES_ON_MS;
    const legs = this.#legsOf(record, account, { today, goesOn });
    const taken = await Promise.all(legs.map((leg) => leg.takeUp()));
    if (taken.includes(false)) return storeDown();
    tell(() => reportOf(record, legs, false));
    const told = asked.replayOnly ? { headers: {}, body: reportOf(record, legs, false) } : await this.#run(record, legs);
    return replayed(told, record.requestHash !== asked.requestHash);
  }

  #legsOf({ key, plan }: ExitRecord, account: Account, when: Pick<LegFrame, 'today' | 'goesOn'>): LegRun[] {
    const until = this.#parts.clock.mono() + (when.goesOn ? SEND_MS : 0);
    const short = hash('sha256', key).slice(0, 40);
    const holdings = plan.legs.some(({ holding }) => holding);
    return plan.legs.map((leg, index) => {
      const frame = {
        ...when,
        account,
        holdings,
        until,
        stop: this.#stop.signal,
        key: (piece: number) => `exit:${short}:${index}:${piece}`,
      };
      return new LegRun(this.#parts, leg, frame);
    });
  }

  async #run(record: ExitRecord, legs: readonly LegRun[]): Promise<ExitReply> {
    const waiting = [...legs];
    const worker = async () => {
      for (let leg = waiting.shift(); leg; leg = waiting.shift()) await leg.run();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const whole = ExitReport.parse(reportOf(record, legs, true));
    // What a stop cut short goes on with the same request after the next start.
    const report = { ...whole, finished: whole.flat || !this.#stop.signal.aborted };
    const { broker, account } = record;
    const outcomes = report.positions.map(({ exchange, symbol, product_type, outcome, left_quantity }) => {
      return { exchange, symbol, product_type, outcome, left_quantity };
    });
    this.#parts.journal
      .note({ kind: 'exit.done', broker, account, detail: { flat: report.flat, positions: outcomes } })
      .catch(() => undefined);
    return { headers: await this.#keep(record, legs, report), body: report };
  }

  /** A report of which nothing can change is kept. One of which an order is not settled is made anew when it is asked for again. */
  async #keep({ key }: ExitRecord, legs: readonly LegRun[], report: ExitReport): Promise<Record<string, string>> {
    const { records, log } = this.#parts;
    if (!report.finished) return { 'Retry-After': '5' };
    if (legs.some((leg) => leg.unsettled)) return {};
    const acted = legs.some((leg) => leg.acted);
    const kept = this.#inTime((acted ? records.settle(key, JSON.stringify(report)) : records.forget(key)).then(() => true));
    if (await kept) return {};
    log.error({ key }, 'The report of an exit could not be stored; the same request makes it anew');
    return { 'Idempotency-Stored': 'false' };
  }

  /** The legs of what was asked for. */
  async #planOf(request: ExitRequest, account: Account): Promise<Plan | { refused: string }> {
    const names = request.positions;
    const plan = await survey(this.#parts, account, { holdings: names?.some(({ holding }) => holding) ?? false });
    if (!names) return { ...plan, legs: plan.legs.filter(({ holding }) => !holding) };
    const legs = new Map<string, Leg>();
    for (const name of names) {
      const key = await this.#keyOf(account, name);
      if ('refused' in key) return { refused: `${name.exchange}:${name.symbol}: ${key.refused}` };
      const found = plan.legs.find(
        (leg) => leg.product === name.product_type && leg.holding === name.holding && this.#legKey(account, leg) === key.text,
      );
      legs.set(`${key.text} ${name.product_type} ${name.holding}`, found ?? nothing(name));
    }
    return { ...plan, legs: [...legs.values()] };
  }

  #legKey(account: Account, { exchange, symbol, token }: Leg): string {
    return this.#parts.orders.instrumentKey(account, { exchange, symbol, token: token || null });
  }

  /** The instrument a caller names, by the broker's own words or by its one name. */
  async #keyOf(account: Account, { exchange, symbol, token, product_type }: PositionName): Promise<{ text: string } | { refused: string }> {
    const words = { exchange, symbol, token, product_type, transaction_type: 'SELL', order_type: 'MARKET', variety: 'NORMAL' };
    const found = await named(this.#parts, account, { ...words, quantity: 1, price: 0, trigger_price: 0, reduce_only: true });
    if ('refused' in found) return found;
    const { symbol: own, token: number } = found.request;
    return { text: this.#parts.orders.instrumentKey(account, { exchange, symbol: own, token: number || null }) };
  }

  /** Null where the store fails or does not answer within 5 s. */
  async #inTime<Value>(work: Promise<Value>): Promise<Value | null> {
    return await within(this.#parts.clock, STORE_MS, work).catch((error: unknown) => {
      this.#parts.log.error({ error: String(error) }, 'An exit met an order store that failed');
      return null;
    });
  }
}

interface Asked {
  key: string;
  requestHash: string;
  request: ExitRequest;
  by: string;
  replayOnly: boolean;
}
type Tell = (report: () => ExitReport) => void;

const UNKNOWN_KEY: ExitReply = {
  headers: { 'Idempotency-Key-Known': 'false' },
  body: { success: false, message: 'No exit is known under this idempotency_key; nothing was cancelled and nothing was sent' },
};
const NOT_CONNECTED: Failure = { success: false, message: 'Broker Not Connected' };

function reportOf({ key, broker, begunAt, plan }: ExitRecord, legs: readonly LegRun[], finished: boolean): ExitReport {
  const positions = legs.map((leg) => leg.report());
  const flat = positions.every(({ outcome }) => outcome === 'FLAT' || outcome === 'NOTHING_TO_DO');
  const at = new Date(begunAt).toISOString();
  return { success: true, flat, finished, idempotency_key: key, broker, at, positions, warnings: plan.warnings };
}

function interim({ report }: Running): ExitReply {
  const body = report();
  return body ? { headers: { 'Retry-After': '5' }, body } : refused('The exit is still being planned: send the same request again');
}

function replayed({ headers, body }: ExitReply, mismatch: boolean): ExitReply {
  return { headers: { ...headers, 'Idempotency-Replayed': 'true', ...(mismatch && { 'Idempotency-Key-Mismatch': 'true' }) }, body };
}

function refused(message: string): ExitReply {
  return { headers: { 'Retry-After': '1' }, body: { success: false, message } };
}

/** Nothing was cancelled either: what cannot be written down cannot be closed, and a stop protects on. */
function storeDown(): ExitReply {
  return refused('Order store unavailable: nothing was cancelled and nothing was sent');
}

function nothing({ exchange, symbol, token, product_type, holding }: PositionName): Leg {
  const what = { instrument: null, exchange, symbol, token, product: product_type, holding };
  const warnings = [holding ? 'No such shares are held that may be sold.' : 'No such position is open.'];
  return { ...what, net: 0, side: null, target: 0, quantity: 0, lastPrice: null, most: null, lot: null, rests: [], warnings };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
