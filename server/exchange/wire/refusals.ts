import type { ProductType } from '../../../contract/words.ts';
import { Big } from '../../money.ts';
import type { Refusal, RefusalCode } from '../types.ts';

/** Facts of a refusal as the broker spells them, by the name its texts use. */
export type Facts = Readonly<Record<string, string>>;

/** A text in which `{name}` stands for a fact, alone or behind what else the broker answers with (codes, a status). */
type RefusalRow = string | readonly [...unknown[], string];

export interface RefusalWords<Row> {
  rowOf(refusal: Refusal): Row;
  /** The text with its facts filled in, those the broker spells in its own way too; nothing where a fact is missing. */
  textOf(refusal: Refusal, more?: Facts): string;
}

/** One broker's words for every refusal of the exchange. `spell`: facts that read otherwise there. */
export function refusalWords<Row extends RefusalRow>(
  rows: Readonly<Record<RefusalCode, Row>>,
  spell: (refusal: Refusal) => Facts = () => ({}),
): RefusalWords<Row> {
  return {
    rowOf: ({ code }) => rows[code],
    textOf(refusal, more = {}) {
      const facts: Facts = { ...more, ...refusal.facts, ...spell(refusal) };
      const row = rows[refusal.code];
      return String(typeof row === 'string' ? row : row.at(-1)).replaceAll(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? '');
    },
  };
}

/** For `{missing}`: how much money is short, rupees. */
export function missingMoney({ code, facts }: Refusal): Facts {
  return code === 'MARGIN' ? { missing: new Big(facts.required ?? 0).minus(facts.available ?? 0).toFixed(2) } : {};
}

/** For `{product}`: the broker's word. */
export function productFact(words: Readonly<Record<ProductType, string>>): (refusal: Refusal) => Facts {
  return ({ facts: { product } }) => {
    const word = Object.entries(words).find(([ours]) => ours === product)?.[1];
    return word === undefined ? {} : { product: word };
  };
}
