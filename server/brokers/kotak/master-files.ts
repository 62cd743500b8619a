import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import { issueText } from '../parse.ts';
import type { Api } from './api.ts';
import { isKotakHost } from './login.ts';

const answerOf = z.looseObject({ data: z.looseObject({ filesPaths: z.array(z.string()) }) });
/** The files of the exchanges that are traded here, whatever version of them: cash files have one in their names. */
const wanted = /\/(nse_cm|bse_cm|nse_fo|bse_fo|mcx_fo|cde_fo)(-v\d+)?\.csv$/;

/**
 * Addresses of today's instrument files, as Kotak names them. Needs a login, for the host that it named; the call carries the access token alone. Throws
 * where Kotak does not answer with addresses of its own: what stands in a file decides what is traded.
 */
export async function masterFiles(env: BrokerEnv, api: Api): Promise<readonly string[]> {
  const answer = await api.get('/script-details/1.0/masterscrip/file-paths');
  if (!answer.success) throw new Error(answer.message);
  const named = answerOf.safeParse(answer.data);
  if (!named.success) throw new Error(`instrument files: ${issueText(named.error)}`);
  // One file of each: the rows of two would be each other's twins, and twins are left out.
  const bySegment = new Map(
    named.data.data.filesPaths.flatMap((address) => {
      const segment = wanted.exec(URL.parse(address)?.pathname ?? '')?.[1];
      return segment === undefined ? [] : [[segment, address] as const];
    }),
  );
  const files = [...bySegment.values()];
  if (files.length === 0) throw new Error('Kotak named no instrument file');
  if (!files.every((address) => isKotakHost(env.apiUrl, address)))
    throw new Error('Kotak named an instrument file at an address that is not its own; none was read');
  return files;
}
