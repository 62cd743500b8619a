import { oneOf, onOff, port, type Setting, text, webAddress, wholeNumber, years } from './kinds.ts';
import { isWeak } from './token-strength.ts';

/** Every setting that is not a broker's. A new one is a row here, a member of Config, and its line in docs/operations.md and .env.example. */
export const settings = {
  GATEWAY_MODE: {
    ...oneOf('practice', 'live'),
    default: 'practice',
    meaning: 'practice: the exchange simulator of the gateway; live: real brokers and real money',
  },
  PORT: { ...port, default: '5000', meaning: 'where the gateway listens' },
  HOST: {
    value: text,
    kind: 'an address or a name of this machine',
    default: '::',
    meaning: 'where the gateway listens; ::, all interfaces over IPv4 and IPv6; 127.0.0.1, this machine only',
  },
  PUBLIC_URL: {
    ...webAddress,
    meaning:
      'where browsers reach the gateway, without a path; left empty, 127.0.0.1:PORT. Register PUBLIC_URL/console/callback with the brokers as the redirect address of your app',
  },
  TLS_CERT: {
    value: text,
    kind: 'a file',
    meaning: 'PEM: the certificate, then its chain. With TLS_KEY the gateway speaks HTTPS alone; both are read again every 10 s',
  },
  TLS_KEY: { value: text, kind: 'a file', meaning: 'PEM: the private key of TLS_CERT, without a passphrase' },
  OPS_PORT: {
    ...port,
    kind: 'a port from 0 to 65535, another one than PORT; 0 serves none',
    default: '5090',
    meaning: 'where /metrics, /healthz and /readyz are served',
  },
  OPS_HOST: { value: text, kind: 'an address or a name of this machine', default: '127.0.0.1', meaning: 'the same' },
  BROKERS: {
    value: text,
    kind: 'a comma list of brokers',
    meaning: 'tried in order at start, the first that connects is the session; left empty, zerodha in practice mode and none in live mode',
  },
  GATEWAY_TOKEN: {
    value: text
      .min(32)
      .regex(/^[\x21-\x7e]+$/)
      .refine((token) => !isWeak(token), 'is too easy to guess; make one with: openssl rand -hex 32'),
    kind: 'at least 32 characters of printable ASCII without spaces',
    meaning: 'API token of the first user; left empty, the first start makes one and keeps it in DATA_DIR/token',
    secret: true,
  },
  DATA_DIR: { value: text, kind: 'a directory', default: './data', meaning: 'embedded database, practice ledger, keys' },
  DATABASE_URL: {
    value: text.regex(/^postgres(ql)?:\/\//),
    kind: 'an address such as postgres://user:password@host:5432/database',
    meaning: 'a PostgreSQL to use instead of the embedded one; several hosts, by commas, are the servers of a replicated one',
    secret: true,
  },
  STANDBY: { ...onOff, default: 'off', meaning: 'on: one of two gateways of one DATABASE_URL; the second waits and follows by itself' },
  VAULT_KEY: {
    value: text.min(32).regex(/^[\x21-\x7e]+$/),
    kind: 'at least 32 characters of printable ASCII without spaces: openssl rand -base64 32',
    meaning: "seals the brokers' logins instead of the file DATA_DIR/key; needed with STANDBY, the same at both gateways",
    secret: true,
  },
  EXCHANGE_PORT: {
    value: wholeNumber(0, 65_525),
    kind: 'a port from 0 to 65525: ten more follow it',
    default: '5100',
    meaning: 'the control port of npm run exchange; broker n of the list answers n ports above it',
  },
  KILL_SWITCH: { ...onOff, default: 'off', meaning: 'on turns the kill switch on at the start; off leaves it where it was left' },
  POSITION_GUARD: { ...onOff, default: 'on', meaning: 'off lets an open position block no further entry on its side' },
  PRACTICE_LIMITS: { ...onOff, default: 'on', meaning: 'off, in practice mode only: no order and read budgets, for load tests' },
  PRACTICE_SEED: {
    value: wholeNumber(0, 0xffff_ffff),
    kind: 'a whole number from 0 to 4294967295',
    default: '1',
    meaning: "seed of the practice exchange's prices",
  },
  LOG_LEVEL: {
    ...oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    meaning: 'the least level of the log lines on stderr',
  },
  CALENDAR_FILE: {
    value: text,
    kind: 'a file',
    meaning: 'a trading calendar instead of the one that comes with the gateway, see docs/calendar.md',
  },
  KEEP_TRADES_YEARS: {
    ...years,
    default: '8',
    meaning: 'orders, trades, closed positions and how the days went are deleted so long after; what is open never is',
  },
  KEEP_EVENTS_YEARS: {
    ...years,
    default: '8',
    meaning: 'the same for the audit trail, tsm_events; at least KEEP_TRADES_YEARS',
  },
  ALERT_WEBHOOK_URL: { ...webAddress, meaning: 'where alerts are posted to; plain http towards this machine only' },
  ALERT_WEBHOOK_SECRET: {
    value: text.regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/),
    kind: 'whsec_ and 24 to 64 random bytes in base64: echo "whsec_$(openssl rand -base64 32)"',
    meaning: 'what signs them; needed with ALERT_WEBHOOK_URL',
    secret: true,
  },
  ALERT_TELEGRAM_TOKEN: {
    value: text.regex(/^\d+:[\w-]{30,}$/),
    kind: 'the token that @BotFather gave, such as 123456:ABC...',
    meaning: 'the bot that tells alerts',
    secret: true,
  },
  ALERT_TELEGRAM_CHAT: {
    value: text.regex(/^(-?\d+|@\w{5,})$/),
    kind: 'the number of a chat or the @name of a channel',
    meaning: 'the chat it writes to; needed with ALERT_TELEGRAM_TOKEN',
  },
  ALERT_TELEGRAM_API_URL: { ...webAddress, default: 'https://api.telegram.org', meaning: "where Telegram's bots are asked" },
  ALERT_DAILY_LOSS: {
    value: text.regex(/^(?!0+(\.0+)?$)\d{1,12}(\.\d{1,2})?$/),
    kind: 'rupees above 0, such as 25000',
    meaning: "a day's loss from which on it is told, and nothing done about it; left empty: never",
  },
  ALERT_ALL_WELL_AT: {
    value: text.regex(/^([01]\d|2[0-3]):[0-5]\d$/),
    kind: 'a time of day in India, HH:MM',
    default: '15:45',
    meaning: 'when the line of the day is sent',
  },
} as const satisfies Readonly<Record<string, Setting>>;
