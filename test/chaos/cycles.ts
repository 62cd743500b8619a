import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../server/clock.ts';
import { startProcess } from '../support/process.ts';

/** Many, used in turn: an order that never arrived holds its symbol for two minutes. */
const symbols =
  'SBIN INFY TCS RELIANCE HDFCBANK ICICIBANK ITC WIPRO LT AXISBANK KOTAKBANK HINDUNILVR ADANIENT ASIANPAINT BAJFINANCE BHARTIARTL CIPLA COALINDIA HCLTECH HINDALCO JSWSTEEL NHPC NTPC ONGC POWERGRID SUNPHARMA TATASTEEL TITAN YESBANK IDEA'.split(
    ' ',
  );
/** The longest a cycle lets its orders run before the kill, ms. */
const LONGEST_MS = 400;

interface Asked {
  key: string;
  symbol: string;
  side: string;
  quantity: number;
  /** Start of its cycle, epoch ms: quantities come again after 40 cycles. */
  since: number;
  /** The answer's text, when one came before the kill. */
  first: string | null;
  /** The answer after the restart. */
  again: string;
}

interface VenueOrder {
  orderId: string;
  symbol: string;
  side: string;
  quantity: number;
  filled: number;
  state: string;
  /** Epoch ms. */
  receivedAt: number;
}

export interface Tally {
  cycles: number;
  asked: number;
  /** Answered before the kill. */
  acknowledged: number;
  atVenue: number;
  duplicates: number;
  /** At the venue, and the retried answer does not name it. */
  lost: number;
  /** Answers the ledger contradicts. */
  contradictions: number;
  /** Acknowledged answers whose replay was not the same bytes. */
  changed: number;
  unknown: number;
  /** Retried answers by what they said. */
  said: Record<string, number>;
  findings: string[];
}

export interface ChaosOptions {
  cycles: number;
  orders: number;
  seed: number;
  dataDir: string;
  env?: Record<string, string>;
  report?: (line: string) => void;
}

/**
 * Practice gateways killed with -9, database and exchange with them, at random moments while orders are in flight; then started again and asked
 * for the same orders. The exchange's ledger on disk is the judge. Within a cycle every order has a symbol and quantity of its own, so that the ledger tells whose it is.
 */
export async function runChaos(options: ChaosOptions): Promise<Tally> {
  const random = seededRandom(options.seed);
  const tally: Tally = {
    cycles: 0,
    asked: 0,
    acknowledged: 0,
    atVenue: 0,
    duplicates: 0,
    lost: 0,
    contradictions: 0,
    changed: 0,
    unknown: 0,
    said: {},
    findings: [],
  };
  const env = { DATA_DIR: options.dataDir, PRACTICE_LIMITS: 'off', ...options.env };
  for (let cycle = 0; cycle < options.cycles; cycle += 1) {
    const asked = await killedWhilePlacing(env, cycle, options.orders, random.next() * LONGEST_MS);
    const gateway = await startProcess(env);
    await Promise.all(
      asked.map(async (one) => {
        one.again = (await place(gateway.url, gateway.token, one)) ?? '';
      }),
    );
    await gateway.killTree();
    judge(asked, readLedger(options.dataDir), tally);
    tally.cycles += 1;
    options.report?.(`cycle ${cycle + 1}: ${asked.filter((one) => one.first !== null).length} of ${asked.length} answered before the kill`);
  }
  return tally;
}

async function killedWhilePlacing(env: Record<string, string>, cycle: number, orders: number, killAfterMs: number): Promise<Asked[]> {
  const since = Date.now();
  const gateway = await startProcess(env);
  const asked = Array.from({ length: orders }, (_, index): Asked => {
    const turn = cycle * orders + index;
    const symbol = symbols[turn % symbols.length] ?? 'SBIN';
    // Long and short in turn, so that the position rule lets most of them pass.
    return {
      key: `cycle-${cycle}-${index}`,
      symbol,
      side: Math.floor(turn / symbols.length) % 2 === 0 ? 'BUY' : 'SELL',
      quantity: 1 + (cycle % 40) * 2 + Math.floor(index / symbols.length),
      since,
      first: null,
      again: '',
    };
  });
  const running = asked.map(async (one) => {
    one.first = await place(gateway.url, gateway.token, one).catch(() => null);
  });
  await new Promise((resolve) => setTimeout(resolve, killAfterMs));
  await gateway.killTree();
  await Promise.all(running);
  return asked;
}

async function place(url: string, token: string, one: Asked): Promise<string | null> {
  const response = await fetch(`${url}/broker/orders/place`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      symbol: one.symbol,
      token: '1',
      exchange: 'NSE',
      transaction_type: one.side,
      order_type: 'MARKET',
      product_type: 'INTRADAY',
      quantity: one.quantity,
      idempotency_key: one.key,
    }),
  });
  return await response.text();
}

/** The last state of every order in the practice ledger. */
function readLedger(dataDir: string): VenueOrder[] {
  const orders = new Map<string, VenueOrder>();
  for (const line of readFileSync(join(dataDir, 'practice', 'practice-ledger.jsonl'), 'utf8').split('\n')) {
    if (!line.startsWith('{') || !line.endsWith('}')) continue;
    const record = JSON.parse(line);
    if (record.kind === 'order') orders.set(record.order.orderId, record.order);
  }
  return [...orders.values()];
}

function judge(asked: Asked[], ledger: VenueOrder[], tally: Tally): void {
  for (const one of asked) {
    const found = ledger.filter(
      (order) => order.symbol === one.symbol && order.quantity === one.quantity && order.side === one.side && order.receivedAt >= one.since,
    );
    const note = (what: string) =>
      tally.findings.push(`${one.key}: ${what}; venue ${JSON.stringify(found)}; answers ${one.first} | ${one.again}`);
    tally.asked += 1;
    tally.atVenue += found.length;
    if (found.length > 1) {
      tally.duplicates += 1;
      note('duplicate');
    }
    if (one.first !== null) {
      tally.acknowledged += 1;
      if (one.first !== one.again && JSON.parse(one.first).fill_status !== 'UNKNOWN') {
        tally.changed += 1;
        note('replay differs');
      }
    }
    const answer = JSON.parse(one.again);
    if (answer.fill_status === 'UNKNOWN') tally.unknown += 1;
    const said = answer.status ?? (answer.success ? answer.fill_status : `${answer.fill_status}: ${answer.message}`);
    tally.said[said] = (tally.said[said] ?? 0) + 1;
    const [order] = found;
    if (order && answer.order_id !== order.orderId) {
      tally.lost += 1;
      note('lost');
    }
    if (contradicts(answer, order)) {
      tally.contradictions += 1;
      note('contradiction');
    }
  }
}

function contradicts(answer: Record<string, unknown>, order: VenueOrder | undefined): boolean {
  if (answer.fill_status === 'UNKNOWN') return false;
  if (!order) return answer.success === true;
  if (answer.fill_status === 'FILLED') return order.filled !== order.quantity || answer.filled_quantity !== order.filled;
  return answer.success === false && order.state !== 'REJECTED';
}
