import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

const secretPaths = ['authorization', 'token', 'access_token', 'api_key', 'api_secret', 'password', 'pin', 'totp', 'secret'];

/** Structured JSON lines on stderr, pretty on a terminal; fields with secret names are cut at the first three depths. */
export function createLog(level: string, onTerminal: boolean): Log {
  const redact = { paths: secretPaths.flatMap((path) => [path, `*.${path}`, `*.*.${path}`]), censor: '[redacted]' };
  const stream = onTerminal
    ? pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', destination: 2, sync: true })
    : pino.destination({ dest: 2, sync: true });
  return pino({ level, redact }, stream);
}

/** A log that says nothing, for tests. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}
