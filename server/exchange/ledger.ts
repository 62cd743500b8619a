import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { brokerIds } from '../../contract/words.ts';
import { ExchangeOrder, Trade } from './types.ts';

const Broker = z.enum(brokerIds);

/** A placing request as an emulator received it, whatever became of it. */
export const PlacingRequest = z.object({ broker: Broker, at: z.number(), tag: z.string().nullable(), fault: z.string().nullable() });
export type PlacingRequest = z.infer<typeof PlacingRequest>;

/** One line of the ledger: the whole state of an order after a change (with the trade that made it), a request, or a login token. */
const LedgerRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('order'), order: ExchangeOrder, trade: Trade.optional() }),
  z.object({ kind: z.literal('request'), request: PlacingRequest }),
  z.object({ kind: z.literal('token'), broker: Broker, token: z.string(), validUntil: z.number() }),
]);
export type LedgerRecord = z.infer<typeof LedgerRecord>;

export interface LedgerFile {
  /** Written when it returns: a killed process loses nothing it has answered for. */
  append(record: LedgerRecord): void;
  close(): void;
}

/** Opens the ledger and hands every record it holds to `replay`, in order. A last line torn by a kill is cut off; any other bad line stops the start. */
export function openLedger(path: string | undefined, replay: (record: LedgerRecord) => void): LedgerFile {
  if (path === undefined) return { append: () => undefined, close: () => undefined };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, 'a+', 0o600);
  const whole = readRecords(path, replay);
  if (whole < fstatSync(file).size) ftruncateSync(file, whole);
  return {
    append(record) {
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      for (let written = 0; written < line.length; ) written += writeSync(file, line, written);
    },
    close: () => closeSync(file),
  };
}

/** Returns the length in bytes of the whole lines. */
function readRecords(path: string, replay: (record: LedgerRecord) => void): number {
  const bytes = readFileSync(path);
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1) return start;
    replay(readRecord(bytes.toString('utf8', start, end), `${path}:${line}`));
    start = end + 1;
  }
}

function readRecord(text: string, place: string): LedgerRecord {
  try {
    return LedgerRecord.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`The practice ledger cannot be read at ${place}`, { cause });
  }
}
