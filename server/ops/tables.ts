import { GatewayStatus } from '../../contract/status.ts';
import { brokerIds } from '../../contract/words.ts';
import { budgetNames, callOutcomes, cutRecords, orderFates, orderSteps } from '../meters.ts';
import type { Figures } from './figures.ts';

/** Methods of a broker that are counted, by the name they are counted under. */
export const brokerCalls = {
  connect: 'connect',
  logout: 'logout',
  profile: 'profile',
  funds: 'funds',
  holdings: 'holdings',
  positions: 'positions',
  orders: 'orders',
  ordersByTag: 'orders_by_tag',
  placeOrder: 'place_order',
  modifyOrder: 'modify_order',
  cancelOrder: 'cancel_order',
  lastPrice: 'last_price',
  quotes: 'quotes',
  tradebook: 'tradebook',
  masterFiles: 'master_files',
} as const;

/** Every label with all values it may have: nothing that comes from a caller, a broker or an account is one. */
export const labelValues = {
  fate: orderFates,
  step: orderSteps,
  budget: budgetNames,
  change: ['modify', 'cancel'],
  broker: brokerIds,
  call: Object.values(brokerCalls),
  outcome: callOutcomes,
  status: GatewayStatus.shape.status.options,
  mode: GatewayStatus.shape.mode.options,
  guard: GatewayStatus.shape.position_guard.options,
  records: cutRecords,
  kind: ['major', 'minor', 'incremental', 'weakcb'],
} as const satisfies Record<string, readonly string[]>;
export type Label = keyof typeof labelValues;

/** Told by the parts as they work. Seconds. */
export const counters = {
  gateway_order_changes_total: ['Modifies and cancels, by what they came to', ['change', 'outcome']],
  gateway_store_failures_total: ['Statements of an order that the store rejected, by step', ['step']],
  gateway_records_cut_total: ['Rows of old records that were deleted, as KEEP_TRADES_YEARS and KEEP_EVENTS_YEARS say', ['records']],
} as const satisfies Record<string, readonly [help: string, labels: readonly Label[]]>;

export const histograms = {
  gateway_order_seconds: ['From a place call to its answer, by what became of the order; its count is the number of orders', ['fate']],
  gateway_order_change_seconds: ['From a modify or cancel to its answer', ['change']],
  gateway_order_step_seconds: [
    'Waits of an order on its way. look_up, sending, accepted and done: the store; turn: the instrument; positions: a read; send: from the door to the answer of the broker; fill: from there to the end',
    ['step'],
  ],
  gateway_budget_wait_seconds: [
    'Waits for a turn of a budget: orders before SENDING, sends right before the bytes, reads of every kind; where there was room they take no time',
    ['budget'],
  ],
  gateway_broker_call_seconds: [
    'Calls of the adapter by what they came to; those of a read that is shared count once',
    ['broker', 'call', 'outcome'],
  ],
} as const satisfies Record<string, readonly [help: string, labels: readonly Label[]]>;

/** Bounds of the histograms, seconds. */
export const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Read = (figures: Figures) => number;
const seconds = (ms: number | null) => (ms === null ? Number.NaN : ms / 1000);

/** Read when somebody asks; NaN where there is nothing to tell. */
export const gauges = {
  gateway_unresolved_orders: ['Orders whose fate is not known', (now) => now.unresolved],
  gateway_journal_waiting_orders: ['Orders with a step that is in memory and not in the store yet', (now) => now.journal.orders],
  gateway_journal_lag_seconds: ['Age of the oldest such step; 0 where there is none', (now) => seconds(now.journal.oldestMs)],
  gateway_kill_switch: ['1 while the kill switch is on', (now) => Number(now.killSwitch)],
  gateway_feed_sockets: ["Sockets of the session's feed", (now) => now.feed.sockets],
  gateway_feed_sockets_live: ['Those of them that are signed in', (now) => now.feed.live],
  gateway_feed_age_seconds: [
    'How long the quietest live socket has said nothing, pings included; NaN while none is live',
    (now) => seconds(now.feed.quietMs),
  ],
  gateway_feed_silent_seconds: [
    'How long prices that are due have not come; 0 while they come, and where none are due',
    (now) => seconds(now.feedSilentMs),
  ],
  gateway_reconciliation_age_seconds: [
    'Since the records were last held against the broker; NaN while they never were',
    (now) => seconds(now.reconciliation.ageMs),
  ],
  gateway_database_up: ['1 while the database is held and answers are let through', (now) => Number(now.database.up)],
  gateway_database_waiting_statements: ['Statements without an answer', (now) => now.database.waiting],
  gateway_database_wait_seconds: ['How long the oldest of them has waited; 0 where there is none', (now) => seconds(now.database.oldestMs)],
  gateway_database_size_bytes: [
    'Size of the database, looked at once a minute; NaN while it cannot be',
    (now) => now.measured.databaseBytes ?? Number.NaN,
  ],
  gateway_disk_free_bytes: ['Room left where DATA_DIR lies, looked at once a minute', (now) => now.measured.diskFreeBytes ?? Number.NaN],
  gateway_alerts_waiting: ['Alerts that are written and not delivered yet', (now) => now.alerts],
  gateway_tls_certificate_left_seconds: [
    'How long the TLS certificate is still good for; NaN without one',
    (now) => seconds(now.certificateLeftMs),
  ],
  gateway_streams: ['Event streams that are open', (now) => now.streams],
} as const satisfies Record<string, readonly [help: string, read: Read]>;

/** Counted by the parts, read when somebody asks. */
export const totals = {
  gateway_reconciliation_failures_total: ['Reconciliations that failed and were tried again', (now) => now.reconciliation.failures],
  gateway_reconciliation_corrections_total: [
    'Position records that were not as the broker holds them',
    (now) => now.reconciliation.corrections,
  ],
  gateway_database_losses_total: ['How often the database was lost', (now) => now.database.losses],
} as const satisfies Record<string, readonly [help: string, read: Read]>;

/** One of the values is 1, the others are 0. */
export const states = {
  gateway_status: ['1 for what GET / says', 'status', (now) => now.status.status],
  gateway_session: ['1 for the broker that is connected', 'broker', (now) => now.status.broker],
  gateway_mode: ['1 for the mode it runs in', 'mode', (now) => now.status.mode],
  gateway_position_guard: ['1 for whether one position per symbol is held', 'guard', (now) => now.status.position_guard],
} as const satisfies Record<string, readonly [help: string, label: Label, read: (now: Figures) => string | null]>;

/** What prom-client tells of the process, and what of that we keep. */
export const processMetrics = {
  process_cpu_user_seconds_total: ['CPU time of the gateway itself, without PostgreSQL', []],
  process_cpu_system_seconds_total: ['CPU time in the kernel', []],
  process_start_time_seconds: ['When the process began, epoch', []],
  process_resident_memory_bytes: ['Memory of the gateway itself, without PostgreSQL', []],
  process_open_fds: ['Descriptors in use (Linux)', []],
  process_max_fds: ['Descriptors it may use (Linux)', []],
  nodejs_eventloop_lag_seconds: ['How late the event loop was when this page was asked for', []],
  nodejs_eventloop_lag_p50_seconds: [
    'Time between looks at the event loop, which are 0.02 apart: what is above that is lag; since the last scrape',
    [],
  ],
  nodejs_eventloop_lag_p99_seconds: ['The same, the slowest hundredth', []],
  nodejs_eventloop_lag_max_seconds: ['The same, the slowest', []],
  nodejs_heap_size_total_bytes: ["JavaScript's memory", []],
  nodejs_heap_size_used_bytes: ['What of it is in use', []],
  nodejs_external_memory_bytes: ['Buffers outside of it', []],
  nodejs_gc_duration_seconds: ['Pauses of the garbage collector', ['kind']],
} as const satisfies Record<string, readonly [note: string, labels: readonly Label[]]>;
