import { Agent, request } from 'undici';
import type { BrokerEnv } from '../broker.ts';
import { NameTable } from './name-table.ts';
import { ourExchanges } from './wire.ts';

export const API_URL = 'https://api.groww.in';
const LIST_URL = 'https://growwapi-assets.groww.in';
const LIST_PATH = '/instruments/instrument.csv';
/** A list that could not be read is asked for again at most this often. */
const RETRY_MS = 60_000;
const SILENCE_MS = 10_000;
const LARGEST_LIST = 64 * 1024 * 1024;
const LONGEST_LINE = 4096;
const COLUMNS = ['exchange', 'segment', 'trading_symbol', 'exchange_token', 'series'] as const;

/** The exchange's tokens by name, from Groww's public list of instruments: orders and positions show names alone, the feed knows tokens alone. */
export interface InstrumentList {
  /** Reads the list, once; after a failure again, but not within a minute. Never rejects. */
  load(): Promise<void>;
  loaded(): boolean;
  /** The token of one of our exchanges' symbols; undefined when the list has none. */
  token(exchange: string, symbol: string): number | undefined;
  /** Ends a reading that is under way. */
  close(): void;
}

/** The list has a host of its own; whoever overrides the API's address means one host for all. */
export function listUrl(apiUrl: string): string {
  return `${apiUrl === API_URL ? LIST_URL : apiUrl}${LIST_PATH}`;
}

export function createInstrumentList({ apiUrl, localAddress, clock, log }: BrokerEnv): InstrumentList {
  const ended = new AbortController();
  let tokens: NameTable | null = null;
  let loading: Promise<void> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const agent = new Agent({ connect: { timeout: SILENCE_MS, family: 4, ...(localAddress ? { localAddress } : {}) }, connections: 1 });
    const options = { dispatcher: agent, headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS, signal: ended.signal };
    try {
      const { statusCode, body } = await request(listUrl(apiUrl), options);
      if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
      tokens = await tokensOf(body);
      log.info({ instruments: tokens.size }, 'The list of instruments was read');
    } catch (error) {
      if (!ended.signal.aborted) log.warn({ error: String(error) }, 'The list of instruments could not be read: no prices yet');
    } finally {
      await agent.destroy();
    }
  }

  return {
    load() {
      if (tokens || ended.signal.aborted) return Promise.resolve();
      if (!loading && clock.mono() - triedAt < RETRY_MS) return Promise.resolve();
      triedAt = clock.mono();
      loading ??= read().finally(() => {
        loading = null;
      });
      return loading;
    },
    loaded: () => tokens !== null,
    token: (exchange, symbol) => tokens?.get(`${exchange} ${symbol}`),
    close: () => ended.abort('closed'),
  };
}

/** Reads the CSV as it comes, by the names in its first line. Of several series under one name EQ counts, else the first. Rejects when it is no such list. */
export async function tokensOf(chunks: AsyncIterable<Uint8Array>): Promise<NameTable> {
  const tokens = new NameTable();
  const decoder = new TextDecoder();
  let places: number[] | null = null;
  let rest = '';
  let bytes = 0;

  function take(line: string): void {
    const row = cells(line);
    if (!places) {
      places = COLUMNS.map((name) => row.indexOf(name));
      if (places.some((place) => place < 0)) throw new Error(`it lacks a column of ${COLUMNS.join(', ')}`);
      return;
    }
    const [exchange, segment, symbol, token = '', series] = places.map((place) => row[place]);
    const name = ourExchanges.get(`${exchange} ${segment}`);
    if (!name || !symbol || !/^[1-9]\d{0,8}$/.test(token)) return;
    const key = `${name} ${symbol}`;
    if (series === 'EQ' || tokens.get(key) === undefined) tokens.set(key, Number(token));
  }

  for await (const chunk of chunks) {
    bytes += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (bytes > LARGEST_LIST || rest.length > LONGEST_LINE) throw new Error('it is no list of lines, or too long');
    for (const line of lines) take(line.trimEnd());
  }
  if (rest) take(rest.trimEnd());
  if (tokens.size === 0) throw new Error('it is empty');
  return tokens;
}

/** The cells of a CSV line; a comma inside quotes is none. */
function cells(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
