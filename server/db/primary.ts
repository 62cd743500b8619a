import postgres from 'postgres';
import { systemClock } from '../clock.ts';
import type { Address } from './address.ts';
import { DatabaseError, reasonOf } from './error.ts';
import { createGate } from './gate.ts';

/** The others are waited for so long once one takes writes: a former primary may do so too. */
const OTHERS_MS = 300;
const PATIENCE_MS = 3_000;

/** A server takes writes when it is no replica; who was promoted last has the highest timeline. */
const STANDING = `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as away,
  case when pg_is_in_recovery() then 0 else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`;

interface Standing {
  address: Address;
  timeline: number;
}

/** Finds the server of a database that takes writes; never one of an older timeline than was found before. */
export type FindPrimary = () => Promise<Address>;

/** Of one server there is nothing to find. Of several the one that takes writes, and of two of these the one promoted last; rejects while there is none. */
export function primaryOf({ others = [], ...first }: Address): FindPrimary {
  let newest = 0;
  return async () => {
    if (others.length === 0) return first;
    const found = await standing([first, ...others]);
    const best = found.toSorted((a, b) => b.timeline - a.timeline)[0];
    if (!best || best.timeline < newest)
      throw new DatabaseError(best ? 'only a former primary takes writes' : 'none of its servers takes writes');
    newest = best.timeline;
    return best.address;
  };
}

/** Those that take writes, as far as they say so in time. Rejects with the last reason when none answers. */
async function standing(addresses: readonly Address[]): Promise<Standing[]> {
  const found: Standing[] = [];
  const first = Promise.withResolvers<void>();
  let reason: unknown = null;
  const asked = addresses.map(async (address) => {
    try {
      const { away, timeline } = await ask(address);
      if (away) return;
      found.push({ address, timeline });
      first.resolve();
    } catch (error) {
      reason = error;
    }
  });
  const all = Promise.all(asked);
  await Promise.race([all, first.promise.then(() => systemClock.sleep(OTHERS_MS)), systemClock.sleep(PATIENCE_MS)]);
  if (found.length === 0 && reason !== null) throw new DatabaseError(reasonOf(reason));
  return found;
}

async function ask(address: Address): Promise<{ away: boolean; timeline: number }> {
  const gate = createGate(address, { application_name: 'broker-gateway-look' });
  gate.open();
  const sql = postgres({ ...gate.options, max: 1, connect_timeout: PATIENCE_MS / 1_000 });
  const late = systemClock.sleep(PATIENCE_MS).then(() => gate.shut());
  try {
    const [row] = await sql.unsafe<{ away: boolean; timeline: number }[]>(STANDING);
    return row ?? { away: true, timeline: 0 };
  } finally {
    void late;
    await sql.end({ timeout: 0 });
    gate.shut();
  }
}
