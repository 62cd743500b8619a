import { type Exchange, exchanges, orderTypes, productTypes, varieties } from '../../contract/words.ts';
import { askAll, type Capabilities, type Feature, features, type Refused } from './capabilities.ts';
import { type Unit, unitsOf } from './units.ts';

/** Why brokers lack what others have. */
const absent: Record<Feature, string | null> = {
  unattended: 'the broker wants its customer at its page once a day',
  login: 'no browser is needed: the code is computed from the TOTP secret',
  ordersByTag: 'the broker has no such call; the tag stands on the rows of the order book',
  lastPrice: 'the broker itself protects a MARKET order',
  tradebook: null,
  orderMargin: null,
  feed: null,
};

const dimensions = { exchange: exchanges, ordertype: orderTypes, producttype: productTypes, variety: varieties } as const;

/** docs/capabilities.md, from what the adapters do. Throws where a broker lacks something that nobody gave a reason for. */
export function page(all: readonly Capabilities[]): string {
  return `# What a broker cannot have

Every case of the common list (test/brokers/conformance.ts) runs for all ten brokers; none is skipped for one. What differs is below, with the reason.
This page is made by \`node test/brokers/capability-page.ts\`, which asks the adapters; a test holds it to them.

## Parts

| part | ${all.map(({ id }) => id).join(' | ')} |
|---|${all.map(() => '---').join('|')}|
${Object.keys(features)
  .map((feature) => featureRow(all, feature as Feature))
  .join('\n')}

${reasons(all)}

## What a quantity counts

| exchange | ${all.map(({ id }) => id).join(' | ')} |
|---|${all.map(() => '---').join('|')}|
${exchanges.map((exchange) => unitRow(all, exchange)).join('\n')}

- shares: one is one.
${(Object.keys(unitWords) as Unit[]).map((unit) => `- ${unit}: ${unitWords[unit]}.`).join('\n')}
- refused: no order is sent; the reason stands in the last table.

## Orders

Each broker was asked for all ${all[0]?.asked} combinations of exchange (${exchanges.join(', ')}), order type (${orderTypes.join(', ')}), product (${productTypes.join(', ')}) and variety (${varieties.join(', ')}): a share on NSE and BSE, a future elsewhere. What is not refused here before anything is sent goes to the broker.

| broker | ${all.map(({ id }) => id).join(' | ')} |
|---|${all.map(() => '---').join('|')}|
| sent | ${all.map(({ sent }) => sent).join(' | ')} |
| refused | ${all.map(({ refused }) => refused.length).join(' | ')} |

| refused | at | why, as the answer says it |
|---|---|---|
${refusalRows(all).join('\n')}
`;
}

const unitWords: Record<Unit, string> = {
  units:
    'what the contract is of, in multiples of its lot: 20 is one lot of SENSEX; on MCX 100 barrels are one lot of CRUDEOIL, 100 g one of GOLDM',
  lots: 'one is one contract, whatever its size; positions carry the multiplier that makes it money',
  contracts: "the same under the broker's name: one is one contract of 1,000 units of the currency",
};

/** Throws where the table and what the adapter refuses do not agree. */
function unitRow(all: readonly Capabilities[], exchange: Exchange): string {
  const cells = all.map(({ id, refused }) => {
    const none = refused.every((one) => one.exchange !== exchange || !one.message.startsWith('exchange:'));
    const unit = exchange === 'NSE' || exchange === 'BSE' ? 'shares' : unitsOf[id][exchange];
    if (none !== (unit !== undefined))
      throw new Error(`${exchange} at ${id}: ${none ? 'sent' : 'refused'}, and its unit is ${unit ?? 'not known'}`);
    return unit ?? 'refused';
  });
  return `| ${exchange} | ${cells.join(' | ')} |`;
}

function featureRow(all: readonly Capabilities[], feature: Feature): string {
  return `| ${features[feature]} | ${all.map(({ has }) => (has[feature] ? 'yes' : 'no')).join(' | ')} |`;
}

function reasons(all: readonly Capabilities[]): string {
  return (Object.keys(features) as Feature[])
    .flatMap((feature) => {
      const without = all.filter(({ has }) => !has[feature]).map(({ id }) => id);
      const why = absent[feature];
      if ((why === null) !== (without.length === 0)) throw new Error(`${feature}: missing at ${without.join() || 'nobody'}, reason ${why}`);
      return why === null ? [] : [`- ${features[feature]}: not at ${without.join(', ')}, because ${why}.`];
    })
    .join('\n');
}

/** One row a reason and what it refuses, with all brokers that say it. */
function refusalRows(all: readonly Capabilities[]): string[] {
  const rows = new Map<string, string[]>();
  for (const { id, refused } of all) {
    for (const [message, group] of Map.groupBy(refused, (one) => one.message)) {
      const row = `${whatOf(group)} |#| ${message.replaceAll('|', '/')} |`;
      rows.set(row, [...(rows.get(row) ?? []), id]);
    }
  }
  return [...rows].map(([row, ids]) => `| ${row.replace('#', ` ${ids.length === all.length ? 'all' : ids.join(', ')} `)}`).toSorted();
}

/** The values a group has in each dimension; one that has all of them is left out. */
function whatOf(group: readonly Refused[]): string {
  const parts = Object.entries(dimensions).flatMap(([name, values]) => {
    const had = values.filter((value) => group.some((one) => one[name as keyof typeof dimensions] === value));
    return had.length === values.length ? [] : [had.join(', ')];
  });
  return parts.join(' · ') || 'everything';
}

if (import.meta.main) process.stdout.write(page(await askAll()));
