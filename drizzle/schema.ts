import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  serial,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { OrderStatus } from '../contract/words.ts';

export * from './alerts.ts';
export * from './instruments.ts';
export * from './lease.ts';

const money = (name: string) => numeric(name, { precision: 18, scale: 4 });
/** A cost of which parts are taken: more places, so that the parts add up to the paisa. */
const cost = (name: string) => numeric(name, { precision: 28, scale: 10 });
const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const side = () => text('side').$type<'BUY' | 'SELL'>().notNull();
const createdAt = () => time('created_at').notNull().defaultNow();
const updatedAt = () => time('updated_at').notNull().defaultNow();

/** One row per order the gateway knows, from the moment a broker accepted it. */
export const orders = pgTable(
  'tsm_orders',
  {
    order_id: text('order_id').notNull(),
    broker: text('broker').notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').notNull(),
    side: side(),
    order_type: text('order_type'),
    product: text('product'),
    quantity: bigint('quantity', { mode: 'number' }).notNull(),
    filled_quantity: bigint('filled_quantity', { mode: 'number' }).notNull().default(0),
    price: money('price'),
    avg_price: money('avg_price'),
    status: text('status').$type<OrderStatus>().notNull(),
    mode: text('mode').notNull(),
    strategy: text('strategy'),
    ai_confidence: money('ai_confidence'),
    reason: text('reason'),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (table) => [
    // Which day's order of which account it is, order_details says: ids come again.
    primaryKey({ columns: [table.broker, table.order_id, table.created_at] }),
    index('tsm_orders_open').on(table.broker, table.symbol).where(sql`status in ('PLACED', 'PARTIALLY_FILLED')`),
    check('tsm_orders_side', sql`side in ('BUY', 'SELL')`),
    check('tsm_orders_status', sql`status in ('PLACED', 'PARTIALLY_FILLED', 'FILLED', 'REJECTED', 'CANCELLED', 'UNKNOWN')`),
    check('tsm_orders_mode', sql`mode in ('practice', 'live')`),
  ],
);

/**
 * What the order record has no field for, and what names it: a broker gives an order id once in an account and trading day. `external`: placed
 * elsewhere (the broker's own app), recorded and never touched.
 */
export const orderDetails = pgTable(
  'order_details',
  {
    broker: text('broker').notNull(),
    order_id: text('order_id').notNull(),
    account: text('account').notNull(),
    /** Its attempt's, `YYYY-MM-DD`, IST: an AMO order's is the session it waits for. */
    trading_day: text('trading_day').notNull(),
    created_at: time('created_at').notNull(),
    token: text('token'),
    external: boolean('external').notNull().default(false),
  },
  (table) => [
    // An order's records from a day on are one range.
    primaryKey({ columns: [table.broker, table.order_id, table.account, table.trading_day] }),
    index('order_details_day').on(table.broker, table.account, table.trading_day),
    foreignKey({
      columns: [table.broker, table.order_id, table.created_at],
      foreignColumns: [orders.broker, orders.order_id, orders.created_at],
      name: 'order_details_order',
    }).onDelete('cascade'),
  ],
);

/** One row per position of one broker, exchange, symbol and style; closed rows stay. */
export const positions = pgTable(
  'tsm_positions',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    symbol: text('symbol').notNull(),
    broker: text('broker').notNull(),
    exchange: text('exchange').notNull(),
    style: text('style').notNull(),
    side: side(),
    qty: bigint('qty', { mode: 'number' }).notNull(),
    entry_price: money('entry_price'),
    ltp: money('ltp'),
    stop_loss: money('stop_loss'),
    target_price: money('target_price'),
    status: text('status').notNull(),
    exit_price: money('exit_price'),
    realized_pnl: money('realized_pnl'),
    exit_reason: text('exit_reason'),
    strategy: text('strategy'),
    ai_confidence: money('ai_confidence'),
    mode: text('mode').notNull(),
    entry_order_id: text('entry_order_id'),
    sl_order_id: text('sl_order_id'),
    opened_at: time('opened_at').notNull().defaultNow(),
    closed_at: time('closed_at'),
    updated_at: updatedAt(),
  },
  (table) => [
    uniqueIndex('tsm_positions_one_open').on(table.broker, table.exchange, table.symbol, table.style).where(sql`status = 'OPEN'`),
    index('tsm_positions_place').on(table.broker, table.exchange, table.symbol, table.style, table.closed_at),
    index('tsm_positions_closed').on(table.broker, table.closed_at).where(sql`status = 'CLOSED'`),
    check('tsm_positions_side', sql`side in ('BUY', 'SELL')`),
    check('tsm_positions_status', sql`status in ('OPEN', 'CLOSED')`),
    check('tsm_positions_mode', sql`mode in ('practice', 'live')`),
    check('tsm_positions_qty', sql`qty >= 0`),
  ],
);

/** What the position record has no field for. */
export const positionDetails = pgTable('position_details', {
  position_id: bigint('position_id', { mode: 'number' })
    .primaryKey()
    .references(() => positions.id, { onDelete: 'cascade' }),
  account: text('account').notNull(),
  token: text('token'),
  /** Units one quantity stands for when money is computed. */
  multiplier: money('multiplier').notNull().default('1'),
  /** What was closed so far and what it brought (quantity x price), for the average exit price. */
  closed_quantity: bigint('closed_quantity', { mode: 'number' }).notNull().default(0),
  exit_value: money('exit_value').notNull().default('0'),
  /** What the open and the closed quantity cost (quantity x price, without the multiplier); null when the entry price is not known. */
  open_cost: cost('open_cost'),
  closed_cost: cost('closed_cost').default('0'),
  /** What the row's executions go on from, when that is not nothing: books/average-cost.ts, SavedState. */
  base: jsonb('base'),
  /** When a fill or a correction last changed the row; prices do not count. */
  touched_at: time('touched_at'),
});

/** Units one quantity stands for, as the broker's positions told. */
export const multipliers = pgTable(
  'instrument_multipliers',
  {
    broker: text('broker').notNull(),
    exchange: text('exchange').notNull(),
    symbol: text('symbol').notNull(),
    multiplier: money('multiplier').notNull(),
  },
  (table) => [primaryKey({ columns: [table.broker, table.exchange, table.symbol] })],
);

/** The accounts whose books are kept, from the first reconciliation on. */
export const accounts = pgTable(
  'book_accounts',
  {
    broker: text('broker').notNull(),
    account: text('account').notNull(),
    began_at: time('began_at').notNull(),
    /** Available funds the broker told first, and the capital that makes of them; null until it did. */
    funds: money('funds'),
    opening: money('opening'),
  },
  (table) => [primaryKey({ columns: [table.broker, table.account] })],
);

/** The one capital record. */
export const capital = pgTable(
  'tsm_capital',
  {
    id: integer('id').primaryKey().default(1),
    total_capital: money('total_capital'),
    available_capital: money('available_capital'),
    deployed_capital: money('deployed_capital'),
    realized_pnl: money('realized_pnl').notNull().default('0'),
    updated_at: updatedAt(),
  },
  () => [check('tsm_capital_single', sql`id = 1`)],
);

/** How an account's day went: a point a minute while something moved, and one at each fill. Rupees; null where a price was not known. */
export const equityPoints = pgTable(
  'equity_points',
  {
    broker: text('broker').notNull(),
    account: text('account').notNull(),
    /** `YYYY-MM-DD`, IST. */
    trading_day: text('trading_day').notNull(),
    at: time('at').notNull(),
    realised: money('realised').notNull(),
    unrealised: money('unrealised'),
    total: money('total'),
  },
  (table) => [primaryKey({ columns: [table.broker, table.account, table.trading_day, table.at] })],
);

/** The audit trail: append-only, one row per claim, send, answer, fill, refusal, session and reconciliation step. */
export const events = pgTable(
  'tsm_events',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: time('at').notNull().defaultNow(),
    kind: text('kind').notNull(),
    broker: text('broker'),
    account: text('account'),
    symbol: text('symbol'),
    order_id: text('order_id'),
    key: text('key'),
    detail: jsonb('detail').notNull().default({}),
  },
  (table) => [
    index('tsm_events_key').on(table.key),
    index('tsm_events_at').on(table.at),
    index('tsm_events_order').on(table.order_id, table.id).where(sql`order_id is not null`),
    index('tsm_events_sends').on(table.broker, table.at).where(sql`kind in ('order.sending', 'modify.sending', 'cancel.sending')`),
  ],
);

export const users = pgTable('users', {
  id: serial('id').primaryKey(),
  name: text('name').notNull().unique(),
  /** SHA-256 of the opaque token, lowercase hex. */
  token_hash: text('token_hash').notNull().unique(),
  created_at: createdAt(),
  revoked_at: time('revoked_at'),
});

/** One attempt to place one order: the journal of ORDER states (docs/architecture.md). */
export const idempotencyRecords = pgTable(
  'idempotency_records',
  {
    key: text('key').primaryKey(),
    state: text('state').notNull(),
    owner: text('owner').notNull(),
    epoch: integer('epoch').notNull().default(1),
    request_hash: text('request_hash').notNull(),
    broker: text('broker').notNull(),
    account: text('account').notNull(),
    trading_day: text('trading_day').notNull(),
    tag: text('tag').notNull(),
    symbol: text('symbol').notNull(),
    token: text('token'),
    exchange: text('exchange').notNull(),
    side: side(),
    order_type: text('order_type').notNull(),
    product: text('product').notNull(),
    quantity: bigint('quantity', { mode: 'number' }).notNull(),
    price: money('price').notNull(),
    /** For the records of the order and of the position it opens; null where the caller gave none. */
    strategy: text('strategy'),
    ai_confidence: money('ai_confidence'),
    started_at: time('started_at').notNull(),
    clock_offset_ms: integer('clock_offset_ms'),
    order_id: text('order_id').notNull().default(''),
    /** What the broker said when it took or garbled the order; kept for the answer. */
    broker_answer: text('broker_answer'),
    /** Net quantity the guard saw before the send. */
    net_before: bigint('net_before', { mode: 'number' }),
    /** Last known fill status while the record is open, for the guard's exposure. */
    fill_status: text('fill_status'),
    filled_quantity: bigint('filled_quantity', { mode: 'number' }).notNull().default(0),
    /** The exact text of the answer. */
    response: text('response'),
    resolved_at: time('resolved_at'),
    expires_at: time('expires_at'),
    updated_at: updatedAt(),
  },
  (table) => [
    index('idempotency_records_expiry').on(table.expires_at).where(sql`state in ('DONE', 'NOT_SENT', 'UNRESOLVED')`),
    // By symbol, as every order asks: the entries that final records leave behind are then met by later orders of their symbol alone.
    index('idempotency_records_pending').on(table.symbol).where(sql`state not in ('DONE', 'NOT_SENT')`),
    // The day comes last: whose an order is, is asked without it.
    uniqueIndex('idempotency_records_order').on(table.broker, table.account, table.order_id, table.trading_day).where(sql`order_id <> ''`),
    // A person settled it without its id: it stands under its tag.
    index('idempotency_records_settled').on(table.broker, table.account).where(sql`order_id = tag`),
    index('idempotency_records_filled').on(table.updated_at).where(sql`filled_quantity > 0`),
    check('idempotency_records_state', sql`state in ('SENDING', 'ACCEPTED', 'AMBIGUOUS', 'DONE', 'NOT_SENT', 'UNRESOLVED')`),
  ],
);

/** One row per execution. */
export const tradeHistory = pgTable(
  'trade_history',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    broker: text('broker').notNull(),
    account: text('account').notNull(),
    trade_id: text('trade_id').notNull(),
    order_id: text('order_id').notNull(),
    /** Its order's; where nobody recorded that, the day it traded. */
    trading_day: text('trading_day').notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').notNull(),
    side: side(),
    product: text('product').notNull(),
    quantity: bigint('quantity', { mode: 'number' }).notNull(),
    price: money('price').notNull(),
    traded_at: time('traded_at').notNull(),
    mode: text('mode').notNull(),
    /** The position it changed first (one that flips changes two); null: it traded before our books began. */
    position_id: bigint('position_id', { mode: 'number' }),
    /** Told by the order book's cumulative fill; the exchange's own trades replace it. */
    derived: boolean('derived').notNull().default(false),
    /** Its position has since been set to what the broker holds: it counts no more when that is computed anew. */
    frozen: boolean('frozen').notNull().default(false),
  },
  (table) => [
    uniqueIndex('trade_history_once').on(table.broker, table.account, table.order_id, table.trading_day, table.trade_id),
    index('trade_history_position').on(table.position_id),
    index('trade_history_day').on(table.broker, table.account, table.trading_day),
    index('trade_history_derived').on(table.broker, table.account).where(sql`derived`),
  ],
);

/** One row per closed position: what a strategy learns from. */
export const tradeLearning = pgTable(
  'trade_learning',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    position_id: bigint('position_id', { mode: 'number' }).notNull(),
    broker: text('broker').notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').notNull(),
    style: text('style').notNull(),
    side: side(),
    quantity: bigint('quantity', { mode: 'number' }).notNull(),
    entry_price: money('entry_price'),
    exit_price: money('exit_price'),
    realized_pnl: money('realized_pnl'),
    opened_at: time('opened_at').notNull(),
    closed_at: time('closed_at').notNull(),
    exit_reason: text('exit_reason'),
    strategy: text('strategy'),
    mode: text('mode').notNull(),
  },
  (table) => [uniqueIndex('trade_learning_position').on(table.position_id)],
);

/** Broker logins of the day, encrypted, so that a restart at noon needs no new login. */
export const brokerSessions = pgTable('broker_sessions', {
  broker: text('broker').primaryKey(),
  account: text('account').notNull(),
  /** AES-256-GCM: iv, tag and ciphertext, base64. */
  sealed: text('sealed').notNull(),
  expires_at: time('expires_at').notNull(),
  updated_at: updatedAt(),
});

/** What a person asks of the running gateway (npm run orders), and its answer. A request that nobody took in time is carried out no more. */
export const orderRequests = pgTable('order_requests', {
  id: text('id').primaryKey(),
  /** JSON: server/settle/requests.ts, Asked. */
  asked: text('asked').notNull(),
  asked_at: time('asked_at').notNull().defaultNow(),
  expires_at: time('expires_at').notNull(),
  /** The gateway process that carries it out. */
  taken_by: text('taken_by'),
  /** JSON: Answer. */
  answer: text('answer'),
});

/** One exit of positions (POST /broker/exits): its plan, written before anything is sent, and its report. */
export const exits = pgTable(
  'exits',
  {
    key: text('key').primaryKey(),
    request_hash: text('request_hash').notNull(),
    broker: text('broker').notNull(),
    account: text('account').notNull(),
    trading_day: text('trading_day').notNull(),
    begun_at: time('begun_at').notNull(),
    /** JSON: server/exits/plan.ts, Plan. */
    plan: text('plan').notNull(),
    /** The exact text of the answer; null while it is being carried out, or where it was interrupted. */
    report: text('report'),
  },
  (table) => [index('exits_begun').on(table.begun_at)],
);

/** Facts about this database: the mode it belongs to, the kill switch. */
export const settings = pgTable('gateway_settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  updated_at: updatedAt(),
});
