import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { createContext } from '../../server/context.ts';
import { listen } from '../../server/http/listen.ts';
import { createLog } from '../../server/log.ts';

/** A stream ends for its caller after this: who asks for one here reads to the end. */
const STREAM_MS = 100;
/** After so many calls what they took from the gateway is given back. */
const CALLS_BETWEEN_REPAIRS = 25;

export interface Fuzzed {
  url: string;
  token: string;
  /** Answers so far, by their status. */
  statuses: ReadonlyMap<number, number>;
  /** Each answer from 500 on: `503 GET /broker/funds`. */
  failures: readonly string[];
  calls(): number;
  stop(): Promise<void>;
}

/**
 * A real gateway in practice mode over HTTP, in this process, so that each answer is counted where it leaves. What calls take from those that follow is undone
 * every now and then: the session, the kill switch, and at once its own token, whose user the fuzzer finds in the list of users.
 */
export async function startFuzzed(token: string): Promise<Fuzzed> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-fuzz-'));
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    DATA_DIR: dataDir,
    GATEWAY_TOKEN: token,
    PRACTICE_LIMITS: 'off',
    POSITION_GUARD: 'off',
  });
  const context = await createContext(config, createLog('error', false));
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  let calls = 0;

  async function repair(): Promise<void> {
    if (context.killSwitch.on) await context.killSwitch.set(false, 'fuzz');
    if (context.status().broker === null) await context.autoConnect();
  }
  const app: RequestListener = (req, res) => {
    fromElsewhere(req, calls);
    res.once('close', () => {
      calls += 1;
      statuses.set(res.statusCode, (statuses.get(res.statusCode) ?? 0) + 1);
      if (res.statusCode >= 500) failures.push(`${res.statusCode} ${req.method} ${req.url}`);
      if (req.url?.startsWith('/broker/users/revoke') && res.statusCode === 200) void context.sql`update users set revoked_at = null`;
      if (calls % CALLS_BETWEEN_REPAIRS === 0) void repair();
    });
    if (req.url?.startsWith('/broker/stream')) setTimeout(() => res.headersSent && res.end(), STREAM_MS);
    context.app(req, res);
  };
  const listening = await listen(app, config);
  context.served(listening.port);
  await context.autoConnect();
  return {
    url: `http://127.0.0.1:${listening.port}`,
    token,
    statuses,
    failures,
    calls: () => calls,
    async stop() {
      await Promise.all([listening.close(), context.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Each call comes from an address of its own: the eleventh wrong token of one address is 429, and the fuzzer is to see that each is 401. */
function fromElsewhere({ socket }: IncomingMessage, call: number): void {
  Object.defineProperty(socket, 'remoteAddress', { value: `10.${call >> 16}.${(call >> 8) & 255}.${call & 255}`, configurable: true });
}
