import { z } from 'zod';

/** Members of ours by name: the broker's member each is read from, and its reader. */
export type RowMap = Readonly<Record<string, readonly [theirs: string, reader: z.ZodType]>>;
type Mapped<Map extends RowMap> = { [Ours in keyof Map]: z.output<Map[Ours][1]> };

/** A reader of a broker's row by a map: errors name the broker's members. */
export function mapped<const Map extends RowMap>(map: Map) {
  const members = Object.entries(map);
  return z
    .looseObject(Object.fromEntries(members.map(([, [theirs, reader]]) => [theirs, reader])))
    .transform((row) => Object.fromEntries(members.map(([ours, [theirs]]) => [ours, row[theirs]])) as Mapped<Map>);
}
