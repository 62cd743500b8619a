import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { adminOptions } from './global-setup.ts';

export interface TestDatabase {
  /** Usable as databaseUrl of openDatabase and as DATABASE_URL. */
  url: string;
  /** Ends its connections and removes it. */
  drop(): Promise<void>;
}

/** A database of its own, with today's tables and no rows, in some 10 ms. What is not dropped goes at the end of the run. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const template = inject('databaseTemplate');
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await admin(`create database ${name}${empty ? '' : ` template ${template}`}`);
  const url = new URL(inject('databaseAdmin'));
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(`drop database if exists ${name} with (force)`) };
}

async function admin(statement: string): Promise<void> {
  const sql = postgres(adminOptions(inject('databaseAdmin')));
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
