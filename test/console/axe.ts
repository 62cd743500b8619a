import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** axe-core, as the page cannot load it: its policy lets in what is its own. */
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Breach {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary?: string }[];
}

/** What axe finds serious or worse on the page as it stands. */
export async function breaches(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Breach[] }>('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} (${failureSummary?.split('\n')[1]?.trim()})`).join(', ')}`,
    );
}
