import type { UserAdded, UserList, UserRevoked } from '../../contract/users.ts';
import type { Log } from '../log.ts';
import { FIRST_USER } from './first-user.ts';
import { UserError, type Users } from './users.ts';

type Failure = { success: false; message: string };

/** Users over HTTP; `by` and `you` are the name of the user who asks. A database that does not answer is a Failure. */
export interface UserOperations {
  listUsers(you: string): Promise<UserList | Failure>;
  /** The token stands in this answer and nowhere else. */
  addUser(name: string, by: string): Promise<UserAdded | Failure>;
  /** Refuses the last valid user, and the one who asks unless `confirm`. */
  revokeUser(name: string, by: { user: string; confirm: boolean }): Promise<UserRevoked | Failure>;
}

interface Parts {
  users: Users;
  log: Log;
  /** Writes an event of the audit trail. */
  note(event: { kind: string; detail: Record<string, unknown> }): Promise<void>;
}

export function createUserOperations({ users, log, note }: Parts): UserOperations {
  /** One after the other, so that two users cannot revoke each other at once. */
  let turn: Promise<unknown> = Promise.resolve();

  async function tried<Answer>(work: () => Promise<Answer>): Promise<Answer | Failure> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UserError) return { success: false, message: error.message };
      log.error({ error: String(error) }, 'Users could not be read or changed');
      return { success: false, message: 'Users cannot be read or changed right now' };
    }
  }

  async function revoke(name: string, { user, confirm }: { user: string; confirm: boolean }): Promise<UserRevoked> {
    const valid = (await users.list()).filter(({ revokedAt }) => revokedAt === null);
    if (!valid.some((one) => one.name === name)) throw new UserError(`There is no user "${name}" with a valid token`);
    if (valid.length === 1) throw new UserError(`"${name}" is the last user: make another one first, or nobody can call the gateway`);
    if (name === user && !confirm)
      throw new UserError(`"${name}" is you: your own token would end with this. Send confirm: true to do it all the same`);
    await users.revoke(name);
    await note({ kind: 'user.revoked', detail: { name, by: user } }).catch(() => undefined);
    return { success: true, message: `The token of ${name} is revoked` };
  }

  return {
    listUsers: (you) =>
      tried(async () => {
        const rows = await users.list();
        const shown = rows.map(({ name, createdAt, revokedAt }) => ({
          name,
          created_at: createdAt,
          revoked_at: revokedAt,
          you: revokedAt === null && name === you,
        }));
        return { success: true, users: shown };
      }),
    addUser: (name, by) =>
      tried(async () => {
        if (name === FIRST_USER)
          throw new UserError(`"${FIRST_USER}" is the gateway's own user: its token is GATEWAY_TOKEN, else the one in DATA_DIR/token`);
        const token = await users.add(name);
        await note({ kind: 'user.added', detail: { name, by } }).catch(() => undefined);
        return { success: true, name, token };
      }),
    revokeUser(name, by) {
      const done = turn.then(() => tried(() => revoke(name, by)));
      turn = done;
      return done;
    },
  };
}
