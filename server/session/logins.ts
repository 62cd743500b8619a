import type { Sql } from 'postgres';
import { z } from 'zod';
import type { StoredLogin } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { Vault } from './vault.ts';

const Login = z.object({ values: z.record(z.string(), z.string()), expiresAt: z.string() });

/** The brokers' logins of the day, encrypted at rest, so that a restart at noon needs no new login. */
export interface Logins {
  /** The broker's stored login, null when there is none or it has expired. */
  read(broker: string): Promise<StoredLogin | null>;
  write(broker: string, account: string, login: StoredLogin): Promise<void>;
  forget(broker: string): Promise<void>;
}

export function createLogins(sql: Sql, vault: Vault, clock: Clock): Logins {
  return {
    async read(broker) {
      const [row] = await sql<{ sealed: string }[]>`select sealed from broker_sessions where broker = ${broker}`;
      const text = row ? vault.open(row.sealed, broker) : null;
      if (text === null) return null;
      const login = Login.safeParse(JSON.parse(text));
      return login.success && Date.parse(login.data.expiresAt) > clock.now() ? login.data : null;
    },
    async write(broker, account, login) {
      const sealed = vault.seal(JSON.stringify(login), broker);
      await sql`
        insert into broker_sessions (broker, account, sealed, expires_at) values (${broker}, ${account}, ${sealed}, ${login.expiresAt})
        on conflict (broker) do update set account = excluded.account, sealed = excluded.sealed, expires_at = excluded.expires_at, updated_at = now()`;
    },
    async forget(broker) {
      await sql`delete from broker_sessions where broker = ${broker}`;
    },
  };
}
