import { getTableColumns } from 'drizzle-orm';
import type { Row, Sql, TransactionSql } from 'postgres';
import type { FillStatus } from '../../contract/words.ts';
import { idempotencyRecords } from '../../drizzle/schema.ts';
import { type OrderFacts, recordOrder } from '../books/order-record.ts';
import {
  type Attempt,
  type AttemptChange,
  type AttemptEvent,
  type AttemptState,
  type Journal,
  type OrderTruth,
  SupersededError,
} from '../orders/attempt.ts';
import { transaction } from './transaction.ts';

const EXPIRE_BATCH = 1000;

type Where = Parameters<Journal['exposure']>[0];

/** The journal in PostgreSQL. Every state change is one commit that carries its event, its order record and what filled. */
export class PostgresJournal implements Journal {
  readonly #sql: Sql;
  readonly #mode: string;

  /** `sql`: a client with its own parsers (numeric as text, int8 as number). */
  constructor(sql: Sql, mode: string) {
    this.#sql = sql;
    this.#mode = mode;
  }

  /** A standing record is only read: an insert that meets it would lock its row, and the caller of a replay would wait for a write to the disk. */
  async claim(attempt: Attempt, now: number): Promise<Attempt | null> {
    const sql = this.#sql;
    const { key, state, owner, epoch, requestHash, broker, account, tradingDay, tag, symbol, token, exchange, side, orderType, product } =
      attempt;
    const { quantity, price, startedAt, updatedAt } = attempt;
    const expired = sql`idempotency_records.state in ('DONE', 'NOT_SENT') and idempotency_records.expires_at <= to_timestamp(${now / 1000})`;
    const [found] = await sql`
      with standing as (
        select ${everything(sql)} from idempotency_records where key = ${key} and (${expired}) is not true
      ), claimed as (
        insert into idempotency_records (key, state, owner, epoch, request_hash, broker, account, trading_day, tag, symbol, token, exchange, side,
          order_type, product, quantity, price, started_at, updated_at)
        select ${key}, ${state}, ${owner}, ${epoch}, ${requestHash}, ${broker}, ${account}, ${tradingDay}, ${tag}, ${symbol}, ${token}, ${exchange},
          ${side}, ${orderType}, ${product}, ${quantity}, ${price}, ${iso(startedAt)}, ${iso(updatedAt)}
        where not exists (select from standing)
        on conflict (key) do update set ${sql.unsafe(allButKey)} where ${expired}
        returning key
      ), noted as (
        insert into tsm_events (kind, broker, account, symbol, key, detail)
        select 'order.claimed', ${broker}, ${account}, ${symbol}, key,
          jsonb_build_object('side', ${side}::text, 'quantity', ${quantity}::bigint, 'exchange', ${exchange}::text)
        from claimed
      )
      select claimed.key as claimed_key, standing.* from (select) one left join claimed on true left join standing on true`;
    if (found?.claimed_key) return null;
    // Neither: another claim came in between.
    return found?.key ? attemptOf(found) : await this.#standing(key);
  }

  async #standing(key: string): Promise<Attempt> {
    const [row] = await this.#select(this.#sql`key = ${key}`);
    // Between the refused insert and this read only an expired or released record can vanish: the caller is asked to come again.
    if (!row) throw new Error('The standing record of a key vanished while it was read');
    return row;
  }

  async find(key: string, now: number): Promise<Attempt | null> {
    const [row] = await this.#select(this.#sql`key = ${key} and (expires_at is null or expires_at > to_timestamp(${now / 1000}))`);
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
    const step = { attempt, to, change, event, now };
    // A new order without a fill goes into the same statement; whatever fills is booked in a transaction.
    if (!truth || (truth.status === 'PLACED' && truth.filledQuantity === 0)) return await this.#moveOne(this.#sql, step, truth);
    return await transaction(this.#sql, async (tx, commitWith) => {
      const moving = this.#moveOne(tx, step);
      await recordOrder(tx, this.#facts(attempt, truth), { ...truth, at: now }, { beside: moving, commitWith });
      return await moving;
    });
  }

  /**
   * One text for every step, whatever it sets: statements are prepared once, and pieces of SQL are dear to put together. What a step does not set stays as
   * it stands: its own attempt may be older than a step of the same state. `newOrder`: recorded with it.
   */
  async #moveOne(sql: Sql | TransactionSql, { attempt, to, change, event, now }: Move, newOrder?: OrderTruth): Promise<Attempt> {
    const { broker, account, symbol, exchange, side, orderType, product, quantity, price } = attempt;
    const token = newOrder?.token ?? attempt.token;
    const [row] = await sql`
      with moved as (
        update idempotency_records set state = ${to}, updated_at = to_timestamp(${now / 1000}),
          clock_offset_ms = coalesce(${change.clockOffsetMs ?? null}, clock_offset_ms), net_before = coalesce(${change.netBefore ?? null}, net_before),
          order_id = coalesce(${change.orderId ?? null}, order_id), broker_answer = coalesce(${change.brokerAnswer ?? null}, broker_answer),
          fill_status = coalesce(${change.fillStatus ?? null}, fill_status), filled_quantity = coalesce(${change.filledQuantity ?? null}, filled_quantity),
          response = coalesce(${change.response ?? null}, response), resolved_at = coalesce(to_timestamp(${seconds(change.resolvedAt)}), resolved_at),
          expires_at = coalesce(to_timestamp(${seconds(change.expiresAt)}), expires_at)
        where key = ${attempt.key} and state = ${attempt.state} and owner = ${attempt.owner} and epoch = ${attempt.epoch}
        returning key, order_id
      ), ordered as (
        insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, status, mode, created_at)
        select ${newOrder?.orderId ?? null}, ${broker}, ${symbol}, ${exchange}, ${side}, ${orderType}, ${product}, ${quantity}::bigint, ${price}::numeric,
          'PLACED', ${this.#mode}, to_timestamp(${now / 1000}) from moved where ${newOrder !== undefined}::boolean
        on conflict (broker, order_id) do nothing
      ), detailed as (
        insert into order_details as known (broker, order_id, account, token)
        select ${broker}, ${newOrder?.orderId ?? null}, ${account}, ${token} from moved where ${newOrder !== undefined}::boolean
        on conflict (broker, order_id) do update set token = excluded.token where excluded.token is distinct from known.token and excluded.token is not null
      ), noted as (
        insert into tsm_events (kind, broker, account, symbol, order_id, key, detail)
        select ${event.kind}, ${broker}, ${account}, ${symbol}, nullif(order_id, ''), key, ${detail(event)}::text::jsonb from moved
      )
      select key from moved`;
    if (!row) throw new SupersededError(attempt);
    return { ...attempt, ...change, state: to, updatedAt: now };
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
    // Words and not parameters, here and below: only then does a prepared statement know that a partial index serves.
    return this.#select(this.#sql`state in ('SENDING', 'ACCEPTED', 'AMBIGUOUS')`);
  }

  unresolved(since: number): Promise<Attempt[]> {
    return this.#select(this.#sql`state = 'UNRESOLVED' and started_at >= to_timestamp(${since / 1000})`);
  }

  exposure(where: Where): Promise<Attempt[]> {
    const sql = this.#sql;
    return this.#select(sql`state in ('SENDING', 'ACCEPTED', 'AMBIGUOUS') and broker = ${where.broker} and account = ${where.account}
      and exchange = ${where.exchange} and symbol = ${where.symbol}`);
  }

  changedSince(since: number): Promise<Attempt[]> {
    return this.#select(this.#sql`updated_at >= to_timestamp(${since / 1000}) and filled_quantity > 0`);
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

  async #select(condition: ReturnType<Sql>): Promise<Attempt[]> {
    const rows = await this.#sql`select ${everything(this.#sql)} from idempotency_records where ${condition} order by started_at`;
    return rows.map(attemptOf);
  }

  #facts(attempt: Attempt, truth: OrderTruth): OrderFacts {
    const { broker, account, symbol, exchange, side, orderType, product, quantity, price } = attempt;
    const { token = attempt.token } = truth;
    return { broker, account, mode: this.#mode, symbol, token, exchange, side, orderType, product, quantity, price, external: false };
  }
}

interface Move {
  attempt: Attempt;
  to: AttemptState;
  change: AttemptChange;
  event: AttemptEvent;
  now: number;
}

/** JSON text that PostgreSQL takes. */
function detail(event: { detail?: object | undefined }): string {
  return JSON.stringify(event.detail ?? {}).replaceAll('\\u0000', '');
}

function seconds(at: number | undefined): number | null {
  return at === undefined ? null : at / 1000;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** What a claim overwrites in an expired record: with its own values, and with the defaults of those it does not give. */
const allButKey = Object.keys(getTableColumns(idempotencyRecords))
  .filter((name) => name !== 'key')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

/** All columns, and the instants as epoch ms beside them. */
function everything(sql: Sql) {
  return sql`*, extract(epoch from started_at)::float8 * 1000 as started_ms, extract(epoch from resolved_at)::float8 * 1000 as resolved_ms,
    extract(epoch from expires_at)::float8 * 1000 as expires_ms, extract(epoch from updated_at)::float8 * 1000 as updated_ms`;
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
