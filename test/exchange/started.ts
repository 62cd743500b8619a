import { systemClock } from '../../server/clock.ts';
import { type HostOptions, type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';

export interface Started extends PracticeExchange {
  api: string;
  /** One call of the Kite emulator with the practice login; rejects when the connection breaks. */
  call(
    method: string,
    path: string,
    fields?: Record<string, string>,
    timeoutMs?: number,
  ): Promise<{ status: number; text: string; ms: number }>;
  place(fields?: Record<string, string>, timeoutMs?: number): Promise<{ status: number; text: string; ms: number }>;
}

export const marketOrder = {
  exchange: 'NSE',
  tradingsymbol: 'SBIN',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product: 'MIS',
  quantity: '10',
  market_protection: '-1',
  tag: 'k3v9c0m2p7q1x8za',
};

/** A practice exchange on free ports, without transit times and limits unless said. */
export async function startPractice(options: Partial<HostOptions> = {}): Promise<Started> {
  const host = await startExchange({
    ports: 'free',
    seed: 1,
    limits: false,
    clock: systemClock,
    log: silentLog(),
    transitMs: [0, 0],
    ...options,
  });
  const api = host.urls.zerodha?.api ?? '';
  const call: Started['call'] = async (method, path, fields, timeoutMs = 3_000) => {
    const started = performance.now();
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: 'token practicekey:practiceaccesstoken' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(fields ? { body: new URLSearchParams(fields) } : {}),
    });
    return { status: response.status, text: await response.text(), ms: performance.now() - started };
  };
  return {
    ...host,
    api,
    call,
    place: (fields = {}, timeoutMs) => call('POST', '/orders/regular', { ...marketOrder, ...fields }, timeoutMs),
  };
}
