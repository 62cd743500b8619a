import type { Header, Totals } from './format.ts';

const counted: readonly (readonly [table: string, words: string])[] = [
  ['tsm_orders', 'orders'],
  ['idempotency_records', 'idempotency keys'],
  ['tsm_positions', 'positions'],
  ['trade_history', 'trades'],
  ['tsm_events', 'events'],
  ['users', 'users'],
];

const istTime = new Intl.DateTimeFormat('en-IN', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Kolkata', hour12: false });

/** What `npm run backup` prints. `bytes`: the size of the file. */
export function backupText(file: string, bytes: number, seconds: number): string {
  return `${file}: ${(bytes / 1e6).toFixed(1)} MB, written and read back in ${seconds.toFixed(1)} s.
It holds every record of the database up to its beginning: orders, keys, positions, trades, events, users with the hashes of their tokens.
It holds no token, no key, no broker login and no setting: keep DATA_DIR/token, /etc or .env apart. Keep it off this machine.`;
}

/** What `npm run restore` prints: what is there now, and what is to be done about the orders placed since. */
export function restoreText({ made_at }: Header, { lines }: Totals): string {
  const told = counted.map(([table, words]) => `${(lines[table] ?? 0).toLocaleString('en-IN')} ${words}`).join(', ');
  return `Restored: ${told}, as they stood on ${istTime.format(new Date(made_at))} IST.

The KILL SWITCH IS ON, and stays on over restarts until you release it: orders placed since that moment are not known here, and neither are their
idempotency keys. A retry of one of them would be a new order; cancels and orders that only reduce a position pass.

1. Make sure that the gateway before does not run any more, and that no strategy does.
2. Start the gateway and sign in to the broker. Reconciliation brings positions to what the broker holds; nothing need be done for them.
3. Compare GET /broker/orders with what your strategies remember having sent since. What has filled is in the positions; cancel what should not rest.
4. Tell your strategies to send no key from before again, and release the switch: POST /broker/kill-switch {"on":false}, or SIGUSR2.

The first user's token is GATEWAY_TOKEN, or the file DATA_DIR/token of before where you put it back; else the first start makes a new one.
Tokens of other users are as valid as they were. Brokers' logins and instrument files are not in a backup: they are had again by signing in.`;
}

export const checkText = (file: string, bytes: number) => `${file}: ${(bytes / 1e6).toFixed(1)} MB, as it was written.`;
