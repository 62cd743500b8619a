import { type Logger, pino } from 'pino';

export type Log = Logger;

const secretPaths = ['authorization', 'token', 'access_token', 'api_key', 'api_secret', 'password', 'pin', 'totp', 'secret'];

/** Structured JSON lines on stdout, pretty on a terminal; fields with secret names are cut at the first two depths. */
export function createLog(level: string, pretty: boolean): Log {
  const redact = { paths: secretPaths.flatMap((path) => [path, `*.${path}`, `*.*.${path}`]), censor: '[redacted]' };
  if (!pretty) return pino({ level, redact });
  return pino({
    level,
    redact,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' } },
  });
}

/** A log that says nothing, for tests. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}
