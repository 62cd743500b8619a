import { z } from 'zod';
import { word } from './parse.ts';

/** Members of ours by name: the broker's member each is read from, and its reader. */
export type RowMap = Readonly<Record<string, readonly [theirs: string, reader: z.ZodType]>>;
type Mapped<Map extends RowMap> = { [Ours in keyof Map]: z.output<Map[Ours][1]> };

/**
 * A reader of a broker's row by a map; errors name the broker's members. What is told by several members, or depends on another, is for the
 * transform behind it, which sees our names alone.
 */
export function mapped<const Map extends RowMap>(map: Map) {
  const members = Object.entries(map);
  return z
    .looseObject(Object.fromEntries(members.map(([, [theirs, reader]]) => [theirs, reader])))
    .transform((row) => Object.fromEntries(members.map(([ours, [theirs]]) => [ours, row[theirs]])) as Mapped<Map>);
}

/** A word of the broker's as ours, or as it came where the table lacks it. */
export function renamed(table: ReadonlyMap<string, string>) {
  return word.transform((text) => table.get(text) ?? text);
}
