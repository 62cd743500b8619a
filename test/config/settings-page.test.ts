import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ofEachBroker } from '../../server/config/broker-settings.ts';
import type { Setting } from '../../server/config/kinds.ts';
import { settings } from '../../server/config/settings.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const row = (name: string, { kind, default: usual, meaning }: Setting) =>
  `| ${name} | ${kind} | ${usual === undefined ? '' : `\`${usual}\``} | ${meaning} |`;
const rows = [
  ...Object.entries(settings).map(([name, setting]) => row(name, setting)),
  ...Object.entries(ofEachBroker).map(([name, setting]) => row(`&lt;ID&gt;_${name}`, setting)),
];

describe('the settings', () => {
  it('stand in docs/operations.md, row by row', () => {
    const page = read('docs/operations.md').split('\n');
    const first = page.indexOf('| setting | must be | default | meaning |');
    const table = page.slice(first + 2, page.indexOf('', first));
    expect(table.join('\n')).toBe(rows.join('\n'));
  });

  it.each(Object.entries<Setting>(settings))('%s stands in .env.example with its default', (name, { default: usual = '' }) => {
    const line = read('.env.example').match(new RegExp(`^${name}=(.*)$`, 'm'));
    expect(line?.[1]).toBe(usual);
  });

  it.each(Object.entries<Setting>(settings))('%s reads its own default', (_, { value, default: usual }) => {
    if (usual !== undefined) expect(value.safeParse(usual).success).toBe(true);
  });
});
