import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { brokerSessions } from '../../drizzle/schema.ts';
import type { StoredLogin } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import type { Vault } from './vault.ts';

const Login = z.object({ values: z.record(z.string(), z.string()), expiresAt: z.string() });

/** The brokers' logins of the day, encrypted at rest, so that a restart at noon needs no new login. */
export interface Logins {
  /** The broker's stored login, null when there is none or it has expired. */
  read(broker: string): Promise<StoredLogin | null>;
  write(broker: string, account: string, login: StoredLogin): Promise<void>;
  forget(broker: string): Promise<void>;
}

export function createLogins(db: Db, vault: Vault, clock: Clock): Logins {
  return {
    async read(broker) {
      const [row] = await db.select({ sealed: brokerSessions.sealed }).from(brokerSessions).where(eq(brokerSessions.broker, broker));
      const text = row ? vault.open(row.sealed, broker) : null;
      if (text === null) return null;
      const login = Login.safeParse(JSON.parse(text));
      return login.success && Date.parse(login.data.expiresAt) > clock.now() ? login.data : null;
    },
    async write(broker, account, login) {
      const sealed = vault.seal(JSON.stringify(login), broker);
      const kept = { account, sealed, expires_at: login.expiresAt };
      await db
        .insert(brokerSessions)
        .values({ broker, ...kept })
        .onConflictDoUpdate({ target: brokerSessions.broker, set: { ...kept, updated_at: sql`now()` } });
    },
    async forget(broker) {
      await db.delete(brokerSessions).where(eq(brokerSessions.broker, broker));
    },
  };
}
