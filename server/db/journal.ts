import type { Row, Sql } from 'postgres';
import type { FillStatus } from '../../contract/words.ts';
import { type Standing, type StandingRow, standingFrom } from '../books/booking.ts';
import { orderRecorder } from '../books/record.ts';
import {
  type Attempt,
  type AttemptChange,
  type AttemptEvent,
  type AttemptState,
  type Claim,
  type Journal,
  type OrderTruth,
  SupersededError,
} from '../orders/attempt.ts';
import { CLAIM, EVERYTHING, MOVE, OPEN, STEP } from './journal-texts.ts';
import { type Ask, asking, run } from './statement.ts';

const EXPIRE_BATCH = 1000;

type Where = Parameters<Journal['exposure']>[0];

const book = orderRecorder(STEP);

/** The journal in PostgreSQL. Every state change is one commit that carries its event, its order record and what filled. */
export class PostgresJournal implements Journal {
  readonly #sql: Sql;
  readonly #ask: Ask;
  readonly #mode: string;
  /** What stood when an order was recorded as new, by its attempt's key until the next step: the fill that mostly comes then need not read it. */
  readonly #seen = new Map<string, Standing>();

  /** `sql`: a client with its own parsers (numeric as text, int8 as number); `ask`: where what every order needs is run. */
  constructor(sql: Sql, mode: string, ask = asking(sql)) {
    this.#sql = sql;
    this.#ask = ask;
    this.#mode = mode;
  }

  /** A standing record is only read: an insert that meets it would lock its row, and the caller of a replay would wait for a write to the disk. */
  async claim(attempt: Attempt, now: number): Promise<Claim> {
    const { key, state, owner, epoch, broker, account, tag, symbol, token, exchange, side, product, quantity, price } = attempt;
    const given = { key, state, owner, epoch, broker, account, tag, symbol, token, exchange, side, product, quantity, price };
    const rows = await run<Row>(this.#ask, CLAIM, {
      ...given,
      request_hash: attempt.requestHash,
      trading_day: attempt.tradingDay,
      order_type: attempt.orderType,
      started_at: iso(attempt.startedAt),
      updated_at: iso(attempt.updatedAt),
      moment: iso(now),
    });
    const known = rows.filter((row) => row.key !== null).map(attemptOf);
    const open = known.filter((other) => other.key !== key);
    if (rows[0]?.claimed) return { standing: null, open };
    // Without a record there: another claim came in between.
    return { standing: known.find((one) => one.key === key) ?? (await this.#standing(key)), open };
  }

  async #standing(key: string): Promise<Attempt> {
    const [row] = await this.#select('key = $1', [key]);
    // Between the refused insert and this read only an expired or released record can vanish: the caller is asked to come again.
    if (!row) throw new Error('The standing record of a key vanished while it was read');
    return row;
  }

  async find(key: string, now: number): Promise<Attempt | null> {
    const [row] = await this.#select('key = $1 and (expires_at is null or expires_at > $2)', [key, iso(now)]);
    return row ?? null;
  }

  async release(attempt: Attempt, event: AttemptEvent): Promise<void> {
    const sql = this.#sql;
    await sql`
      with released as (
        delete from idempotency_records
        where key = ${attempt.key} and owner = ${attempt.owner} and epoch = ${attempt.epoch} and state in ('CLAIMED', 'SENDING')
          and started_at = to_timestamp(${attempt.startedAt / 1000})
        returning key, broker, account, symbol
      )
      insert into tsm_events (kind, broker, account, symbol, key, detail)
      select ${event.kind}, broker, account, symbol, key, ${detail(event)}::text::jsonb from released`;
  }

  async move(
    attempt: Attempt,
    to: AttemptState,
    change: AttemptChange,
    event: AttemptEvent,
    now: number,
    truth?: OrderTruth,
  ): Promise<Attempt> {
    // A new order without a fill meets no books.
    const newOrder = truth && truth.status === 'PLACED' && truth.filledQuantity === 0 ? truth : undefined;
    const step = stepValues(attempt, to, change, event, now);
    const seen = this.#seen.get(attempt.key);
    this.#seen.delete(attempt.key);
    const moved =
      truth && !newOrder ? await this.#book(attempt, step, { ...truth, at: now }, seen) : await this.#step(attempt, step, newOrder);
    if (!moved) throw new SupersededError(attempt);
    return { ...attempt, ...change, state: to, updatedAt: now };
  }

  async #step(attempt: Attempt, step: object, newOrder?: OrderTruth): Promise<boolean> {
    const order = newOrder && { ordered: newOrder.orderId, instrument: newOrder.token ?? attempt.token, mode: this.#mode };
    const [moved] = await run<StandingRow>(this.#ask, MOVE, { ...step, ...order });
    if (moved && moved.record_version !== null) this.#seen.set(attempt.key, standingFrom(moved));
    return moved !== undefined;
  }

  #book(attempt: Attempt, step: object, truth: OrderTruth & { at: number }, seen?: Standing): Promise<boolean> {
    const { broker, account, symbol, exchange, side, product } = attempt;
    const { token = attempt.token } = truth;
    const facts = { broker, account, mode: this.#mode, symbol, token, exchange, side, product };
    return book(this.#sql, this.#ask, { facts, told: truth, step, seen });
  }

  async takeOver(attempt: Attempt, owner: string): Promise<Attempt> {
    const epoch = attempt.epoch + 1;
    const taken = await this.#sql`
      update idempotency_records set owner = ${owner}, epoch = ${epoch}
      where key = ${attempt.key} and owner = ${attempt.owner} and epoch = ${attempt.epoch} returning key`;
    if (taken.length === 0) throw new SupersededError(attempt);
    return { ...attempt, owner, epoch };
  }

  open(): Promise<Attempt[]> {
    return this.#select(OPEN, []);
  }

  unresolved(since: number): Promise<Attempt[]> {
    return this.#select("state = 'UNRESOLVED' and started_at >= $1", [iso(since)]);
  }

  exposure(where: Where): Promise<Attempt[]> {
    const { broker, account, exchange, symbol } = where;
    return this.#select(`${OPEN} and broker = $1 and account = $2 and exchange = $3 and symbol = $4`, [broker, account, exchange, symbol]);
  }

  changedSince(since: number): Promise<Attempt[]> {
    return this.#select('updated_at >= $1 and filled_quantity > 0', [iso(since)]);
  }

  async owners(broker: string, account: string, orderIds: readonly string[]): Promise<Map<string, string>> {
    if (orderIds.length === 0) return new Map();
    const ids = [...orderIds];
    // An order record outlives the attempt that made it; where both stand, the attempt's key comes last and counts.
    const rows = await this.#sql<{ order_id: string; key: string }[]>`
      select order_id, '' as key, 1 as place from order_details
      where broker = ${broker} and account = ${account} and not external and order_id in ${this.#sql(ids)}
      union all
      select order_id, key, 2 from idempotency_records
      where broker = ${broker} and account = ${account} and order_id in ${this.#sql(ids)} and order_id <> ''
      order by place`;
    return new Map(rows.map((row) => [row.order_id, row.key]));
  }

  async dropClaims(): Promise<number> {
    const dropped = await this.#sql`delete from idempotency_records where state = 'CLAIMED' returning key`;
    return dropped.length;
  }

  async expire(now: number): Promise<number> {
    const gone = await this.#sql`
      delete from idempotency_records where key in (
        select key from idempotency_records where state in ('DONE', 'NOT_SENT') and expires_at <= to_timestamp(${now / 1000})
        order by expires_at limit ${EXPIRE_BATCH}
      ) returning key`;
    return gone.length;
  }

  async recordedNet(where: Where): Promise<number> {
    const [row] = await this.#sql<{ net: string | null }[]>`
      select sum(case p.side when 'BUY' then p.qty else -p.qty end)::text as net
      from tsm_positions p join position_details d on d.position_id = p.id
      where p.status = 'OPEN' and p.broker = ${where.broker} and d.account = ${where.account} and p.exchange = ${where.exchange} and p.symbol = ${where.symbol}`;
    return Number(row?.net ?? 0);
  }

  async note(event: Parameters<Journal['note']>[0]): Promise<void> {
    const { kind, broker = null, account = null, symbol = null, orderId = null, key = null } = event;
    await this.#sql`
      insert into tsm_events (kind, broker, account, symbol, order_id, key, detail)
      values (${kind}, ${broker}, ${account}, ${symbol}, ${orderId}, ${key}, ${detail(event)}::text::jsonb)`;
  }

  async #select(condition: string, values: readonly string[]): Promise<Attempt[]> {
    const text = `select ${EVERYTHING} from idempotency_records where ${condition} order by started_at`;
    const rows = await this.#ask(text, values);
    return rows.map(attemptOf);
  }
}

/** Values of a step; what its change does not name is null, and stays as it is. */
function stepValues(attempt: Attempt, to: AttemptState, change: AttemptChange, event: AttemptEvent, now: number): object {
  const { key, state, owner, epoch } = attempt;
  return {
    key,
    state,
    owner,
    epoch,
    next: to,
    updated_at: iso(now),
    clock_offset_ms: change.clockOffsetMs,
    net_before: change.netBefore,
    order_id: change.orderId,
    broker_answer: change.brokerAnswer,
    fill_status: change.fillStatus,
    filled_quantity: change.filledQuantity,
    response: change.response,
    resolved_at: change.resolvedAt && iso(change.resolvedAt),
    expires_at: change.expiresAt && iso(change.expiresAt),
    kind: event.kind,
    detail: detail(event),
  };
}

/** JSON text that PostgreSQL takes. */
function detail(event: { detail?: object | undefined }): string {
  return JSON.stringify(event.detail ?? {}).replaceAll('\\u0000', '');
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function attemptOf(row: Row): Attempt {
  const ms = (value: unknown) => (value === null ? null : Math.round(Number(value)));
  return {
    key: row.key,
    state: row.state as AttemptState,
    owner: row.owner,
    epoch: row.epoch,
    requestHash: row.request_hash,
    broker: row.broker,
    account: row.account,
    tradingDay: row.trading_day,
    tag: row.tag,
    symbol: row.symbol,
    token: row.token,
    exchange: row.exchange,
    side: row.side,
    orderType: row.order_type,
    product: row.product,
    quantity: Number(row.quantity),
    price: String(row.price),
    startedAt: ms(row.started_ms) ?? 0,
    clockOffsetMs: row.clock_offset_ms,
    netBefore: row.net_before === null ? null : Number(row.net_before),
    orderId: row.order_id,
    brokerAnswer: row.broker_answer,
    fillStatus: row.fill_status as FillStatus | null,
    filledQuantity: Number(row.filled_quantity),
    response: row.response,
    resolvedAt: ms(row.resolved_ms),
    expiresAt: ms(row.expires_ms),
    updatedAt: ms(row.updated_ms) ?? 0,
  };
}
