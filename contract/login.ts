import { z } from 'zod';
import { Failure, text } from './common.ts';
import { route } from './route.ts';
import { Connected } from './session.ts';

export const BeginLoginRequest = z
  .strictObject({
    broker: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: 'One of the supported identifiers.', examples: ['zerodha'] }),
  })
  .meta({ id: 'BeginLoginRequest', description: 'Where to sign in.' });

export const LoginBegun = z
  .object({
    success: z.literal(true),
    broker: z.string().meta({ description: 'The broker meant.', examples: ['zerodha'] }),
    kind: z.enum(['redirect', 'none']).meta({
      description: "redirect: a person signs in on the broker's page, which sends the browser back. none: it needs no person, connect it.",
      examples: ['redirect'],
    }),
    state: z
      .string()
      .nullable()
      .meta({
        description: 'Names this login in finish: it works once, for the user who began it. Null with none.',
        examples: ['p0f3a9...'],
      }),
    address: z
      .string()
      .nullable()
      .meta({ description: "The broker's page. Null with none.", examples: ['https://kite.zerodha.com/connect/login?v=3&api_key=...'] }),
    redirect_expected: z
      .string()
      .nullable()
      .meta({
        description: 'What is to be registered with the broker as the redirect address. Null with none.',
        examples: ['http://127.0.0.1:5000/console/callback'],
      }),
    code_name: z
      .string()
      .nullable()
      .meta({
        description: 'What a code to be pasted is called in the address the browser ends at. Null with none.',
        examples: ['request_token'],
      }),
    expires_at: z
      .string()
      .nullable()
      .meta({ description: 'Until when it can be finished, UTC. Null with none.', examples: ['2026-11-20T04:22:33.000Z'] }),
    message: z.string().meta({ description: 'What to do, in words for a person.', examples: ["Sign in on Zerodha's page"] }),
  })
  .meta({ id: 'LoginBegun', description: 'What a login needs now.' });
export type LoginBegun = z.infer<typeof LoginBegun>;

export const FinishLoginRequest = z
  .strictObject({
    state: text().meta({ description: 'As begin told it.', examples: ['p0f3a9...'] }),
    callback: text(8192)
      .optional()
      .meta({
        description: 'The query the browser came back with, or the whole address it ended at.',
        examples: ['?request_token=...&status=success'],
      }),
    code: text(8192)
      .optional()
      .meta({ description: 'Instead: the code alone.', examples: ['...'] }),
  })
  .superRefine(({ callback, code }, ctx) => {
    if ((callback === undefined) === (code === undefined))
      ctx.addIssue({ code: 'custom', path: ['callback'], message: 'either callback or code, and not both' });
  })
  .meta({
    id: 'FinishLoginRequest',
    description: "What the broker's page gave.",
    examples: [{ state: 'p0f3a9...', callback: '?request_token=...&status=success' }],
  });
export type FinishLoginRequest = z.infer<typeof FinishLoginRequest>;

export const loginRoutes = {
  beginLogin: route({
    method: 'POST',
    path: '/broker/login',
    summary: "Begin a login on a broker's page",
    description:
      "Answers with the address of the broker's page, to be opened in a browser, and with a state that finish wants: it works once, for ten minutes, for the user who began it.",
    input: BeginLoginRequest,
    output: z.union([LoginBegun, Failure]),
  }),
  finishLogin: route({
    method: 'POST',
    path: '/broker/login/finish',
    summary: "Finish a login on a broker's page",
    description:
      "Trades what the browser came back with for the day's login, keeps that encrypted, and connects the broker as POST /broker/connect does. Sent once: a state that was used, is late or is another user's is refused.",
    input: FinishLoginRequest,
    output: z.union([Connected, Failure]),
  }),
};
