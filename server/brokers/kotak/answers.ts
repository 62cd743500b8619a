import { z } from 'zod';
import type { Answer } from '../dialect.ts';
import { decimal, word } from '../parse.ts';
import { orderNumber } from './wire.ts';

/** What Kotak says when it says no: its own code where it sends one, and its text. */
export interface Problem {
  code: number | null;
  message: string;
}

const text = z.string().nullish();
const code = z
  .union([z.int(), z.string().regex(/^\d+$/)])
  .nullish()
  .transform((value) => (value === null || value === undefined ? null : Number(value)));

const okWord = z.string().regex(/^ok$/i);
/** Reports and order calls: `stat` is Ok or ok, else Not_Ok or even the text of the refusal. */
const okBody = z.looseObject({ stat: okWord, stCode: z.literal(200).nullish() });
const refusal = z.looseObject({ stat: z.string().optional(), stCode: code, emsg: text, errMsg: text, desc: text });
/** Sign-in refusals come in two more forms. */
const errorList = z.looseObject({ error: z.array(z.looseObject({ code, message: z.string() })).min(1) });
const errorBody = z.looseObject({ status: z.literal('error'), message: z.string(), errorCode: code });

/** The refusal in an answer, null when it holds none. */
export function problemOf(body: unknown): Problem | null {
  if (okBody.safeParse(body).success) return null;
  const [listed] = errorList.safeParse(body).data?.error ?? [];
  if (listed) return { code: listed.code, message: listed.message };
  const stated = errorBody.safeParse(body).data;
  if (stated) return { code: stated.errorCode, message: stated.message };
  const refused = refusal.safeParse(body).data;
  if (!refused || okWord.safeParse(refused.stat).success || (refused.stat === undefined && !refused.emsg && !refused.errMsg)) return null;
  return {
    code: refused.stCode,
    message: refused.emsg || refused.errMsg || refused.desc || refused.stat || `Kotak refused with code ${refused.stCode}`,
  };
}

/** "No Data": how an empty report reads. */
export const EMPTY_CODE = 5203;
export const UNREGISTERED_ADDRESS_CODE = 100_008;

/** 32: its core refused the order; 1017 and 100021: this access may place none. */
const definiteCodes = [32, 1003, 1004, 1006, 1007, 1009, 1017, 1021, 1037, 100_021, UNREGISTERED_ADDRESS_CODE];
const definiteStatuses = [400, 401, 403, 422, 429];
/** 1037: the session belongs to another address, and a new one would belong to ours. */
const deadLogin = [401, 403, 1003, 1037];

/** Whether a refusal of a placement, change or cancellation says for certain that nothing was done. A code Kotak's list lacks does not. */
export function isDefinite(status: number, problem: Problem): boolean {
  if (status === 424) return false;
  if (problem.code === null || problem.code === status) return definiteStatuses.includes(status);
  return definiteCodes.includes(problem.code);
}

export function isDeadLogin(status: number, problem: Problem): boolean {
  return deadLogin.includes(problem.code ?? status);
}

/** The order number in the answer to an order call; null when the answer is not an Ok. */
export function orderAnswer(body: unknown): { orderId: string } | null {
  if (!okBody.safeParse(body).success) return null;
  return { orderId: z.looseObject({ nOrdNo: orderNumber }).safeParse(body).data?.nOrdNo ?? '' };
}

export const report = okBody.extend({ data: z.array(z.unknown()) });
export const limits = okBody.extend({ Net: decimal });
/** Whether a refusal is about the path: nothing of that name is served there. A broken connection or a fault of Kotak's says nothing of it. */
export function isUnknownPath(answer: Answer): boolean {
  if (answer.success) return false;
  const { status = 0, code, message } = answer;
  if (status === 404) return true;
  return status >= 200 && status < 500 && code !== undefined && unknownPath.test(message);
}
const unknownPath = /no matching resource|\b(path|url|endpoint|resource|route) (was |is )?(not found|unknown)/i;

/** Holdings, and perhaps newer positions, come without `stat`. */
export const portfolio = z.looseObject({ data: z.array(z.unknown()) });
export const viewLogin = z.looseObject({ data: z.looseObject({ token: word, sid: word }) });
export const tradeLogin = z.looseObject({ data: z.looseObject({ token: word, sid: word, baseUrl: word, ucc: word }) });
export const clientAddress = z.looseObject({ data: z.array(z.looseObject({ ip: word })).min(1) });
