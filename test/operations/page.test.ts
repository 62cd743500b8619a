import { expect, it } from 'vitest';
import { blocksOf, commandsOf, elsewhere, files, like, page, reasonOf } from './page.ts';
import { startCommand } from './place.ts';

const blocks = blocksOf(page);

it('every block of the page is run, checked as a file, or has a reason why not', () => {
  expect(blocks.length).toBeGreaterThan(10);
  const left = blocks.filter((block) => !['sh', ...files].includes(block.language) && reasonOf(block) === undefined);
  expect(left).toEqual([]);
  const idle = Object.keys(elsewhere).filter((begins) => !blocks.some(({ text }) => text.startsWith(begins)));
  expect(idle).toEqual([]);
});

it('the page names the flags of npm start, in its words and in the container file', () => {
  expect(page).toContain(`\`npm start\` runs \`${startCommand().join(' ')}\``);
  const container = blocks.find(({ language }) => language === 'dockerfile')?.text;
  expect(container).toContain(`CMD ${JSON.stringify(startCommand()).replaceAll(',', ', ')}`);
});

it('reads commands, remarks and headings, also inside a list', () => {
  const text = '## One\n\n```sh\ncall a -d \'{"b":"#c"}\'   # {"d":1}\nplain\n```\n\n1. in a list\n\n   ```sh\n   inner --x\n   ```\n';
  const read = blocksOf(text);
  expect(read.map(({ heading, language, text: all }) => [heading, language, all.split('\n').length])).toEqual([
    ['One', 'sh', 2],
    ['One', 'sh', 1],
  ]);
  expect(read.flatMap(commandsOf)).toEqual([
    { command: 'call a -d \'{"b":"#c"}\'', remark: '{"d":1}' },
    { command: 'plain', remark: '' },
    { command: 'inner --x', remark: '' },
  ]);
});

it('holds an answer against what is shown: members and words exactly, moments and figures as they come', () => {
  const shown = { success: true, since: '2026-11-20T04:12:33.000Z', by: 'owner', list: [{ took_ms: 38, message: null }] };
  const got = { success: true, since: '2027-01-01T00:00:00.000Z', by: 'owner', list: [{ took_ms: 1, message: null }] };
  expect(like(shown, got)).toBe(true);
  for (const other of [
    { ...got, by: 'first' },
    { ...got, since: null },
    { ...got, more: 1 },
    { ...got, list: [] },
    { ...got, success: 'true' },
  ])
    expect(like(shown, other), JSON.stringify(other)).toBe(false);
});
