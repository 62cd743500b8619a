/** The groups of the document, in the order in which a trader meets them. */
export const tags = [
  { name: 'Session', description: 'The gateway, the broker it is connected to, and whether that works.' },
  { name: 'Account', description: "The account as the broker tells it: funds, holdings, positions, the day's executions." },
  { name: 'Orders', description: 'Placing, changing, cancelling, leaving, and stopping it all.' },
  { name: 'Data', description: 'Instruments, quotes, and what happens as it happens.' },
  { name: 'Console', description: "The gateway's own records, as the console shows them, its users and its alerts." },
] as const;
export type Tag = (typeof tags)[number]['name'];

/** What stands behind /broker/ in an operation's path, and the group it belongs to. */
const groups: Readonly<Record<Tag, readonly string[]>> = {
  Session: ['', 'connect', 'disconnect', 'login', 'supported', 'test'],
  Account: ['profile', 'funds', 'holdings', 'positions', 'tradebook'],
  Orders: ['orders', 'margin', 'exits', 'kill-switch'],
  Data: ['instruments', 'quotes', 'stream', 'events', 'prices'],
  Console: ['overview', 'records', 'profit', 'latencies', 'users', 'alerts'],
};

/** The group of the operation at a path. Throws where its first word stands in none: every operation is to be found somewhere. */
export function tagOf(path: string): Tag {
  const [, , word = ''] = path.split('/');
  const found = tags.find(({ name }) => groups[name].includes(word));
  if (!found) throw new Error(`server/api/openapi-tags.ts has no group for ${path}`);
  return found.name;
}
