import { z } from 'zod';
import type { BrokerEnv, Read } from '../broker.ts';
import { failure, word } from '../parse.ts';
import type { Api } from './api.ts';

const FUNDED = '/v3/portfolio/mtf-positions';
/** How an account may be told that it has no margin trading. What else goes wrong leaves open what is held. */
const HAS_NONE: readonly (number | undefined)[] = [400, 403, 404];

/** Names a row under margin trading, in either list. */
const fundedName = z.looseObject({ product: z.literal('MTF'), instrument_token: word }).transform((row) => row.instrument_token);

/** Reads what is held: shares under margin trading (MTF) stand in a list of their own. */
export function createPositions({ log }: BrokerEnv, api: Api): () => Promise<Read> {
  let warned = false;

  async function funded(): Promise<Read> {
    const answer = await api.get(FUNDED);
    if (answer.success) return Array.isArray(answer.data) ? answer : failure('MTF positions: the broker did not answer with a list');
    const { message, definite, expired, status } = answer;
    if (!definite || expired || !HAS_NONE.includes(status)) return failure(`MTF positions: ${message}`);
    if (!warned) log.warn({ reason: message }, 'Upstox refuses its list of MTF positions: the account is taken to have none');
    warned = true;
    return { success: true, data: [] };
  }

  return async () => {
    const [day, more] = await Promise.all([api.read('/v2/portfolio/short-term-positions'), funded()]);
    if (!day.success || !Array.isArray(day.data)) return day;
    if (!more.success || !Array.isArray(more.data)) return more;
    const names = new Set(more.data.flatMap((row) => fundedName.safeParse(row).data ?? []));
    // One that stands in both lists counts once.
    const others = day.data.filter((row) => !names.has(fundedName.safeParse(row).data ?? ''));
    return { success: true, data: [...others, ...more.data] };
  };
}
