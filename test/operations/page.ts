import { readFileSync } from 'node:fs';

/** A block of docs/operations.md between two fences. */
export interface Block {
  language: string;
  /** What the page says last above it. */
  heading: string;
  text: string;
}

export const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

/** Blocks that are not run here, by how they begin, and why. All others of `sh` are, in the page's order. */
export const elsewhere: Readonly<Record<string, string>> = {
  'systemctl kill': 'needs a service that systemd runs; the signal is sent to the gateway itself',
  'location / {': 'needs nginx and a certificate',
  'DATABASE_URL=postgres://gateway:secret@db-a': 'needs two servers: npm run standby -- --kind promotion',
  '# on the primary, postgresql.conf': 'needs two servers: npm run standby -- --kind promotion',
  '# prometheus.yml': 'needs a Prometheus; its rules have tests of their own beside them',
  'npm run orders -- resolve KEY': 'needs an order whose fate is not known: test/settle/process.test.ts',
};

/** What checks the blocks that are files. */
export const files: readonly string[] = ['ini', 'dockerfile'];

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  for (const [, title, indent = '', language = '', body = ''] of text.matchAll(/^#+ (.*)$|^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)) {
    if (title !== undefined) heading = title;
    else blocks.push({ language, heading, text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim() });
  }
  return blocks;
}

export const reasonOf = ({ text }: Block) => Object.entries(elsewhere).find(([begins]) => text.startsWith(begins))?.[1];

/** What follows a command on its line: what it prints, where that is JSON, or a word about it. */
export interface Command {
  command: string;
  remark: string;
}

export function commandsOf({ text }: Block): Command[] {
  return text.split('\n').map((line) => {
    const [, command = line, remark = ''] = /^(.*?\S)\s+# (.*)$/.exec(line) ?? [];
    return { command: command.trim(), remark };
  });
}

/** Whether an answer is what the page shows of it: the same members, moments and durations as they come. */
export function like(shown: unknown, got: unknown): boolean {
  if (typeof shown === 'number') return typeof got === 'number';
  if (typeof shown === 'string' && !Number.isNaN(Date.parse(shown))) return typeof got === 'string' && !Number.isNaN(Date.parse(got));
  if (typeof shown !== 'object' || shown === null) return shown === got;
  if (typeof got !== 'object' || got === null || Array.isArray(shown) !== Array.isArray(got)) return false;
  const [mine, theirs] = [Object.entries(shown), Object.keys(got)];
  return mine.length === theirs.length && mine.every(([name, value]) => like(value, (got as Record<string, unknown>)[name]));
}
