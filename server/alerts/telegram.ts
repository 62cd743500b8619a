import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { AlertSettings } from '../config/config.ts';
import { type Alert, textOf } from './alert.ts';
import { type Answer, type Channel, failedBy, Poster, refusedBy } from './post.ts';

/** Of https://core.telegram.org/bots/api#sendmessage; a longer text is refused. */
const MOST_CHARACTERS = 4096;
const refusal = z.object({
  description: z.string().max(300).optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});

/** A bot that writes plain text to one chat. Its token stands in the address, which nothing here tells. */
export function telegram({ apiUrl, token, chat }: NonNullable<AlertSettings['telegram']>, clock: Clock): Channel {
  const poster = new Poster(clock);
  return {
    name: 'telegram',
    host: new URL(apiUrl).host,
    async send(body) {
      const text = textOf(JSON.parse(body) as Alert).slice(0, MOST_CHARACTERS);
      const message = { chat_id: chat, text, link_preview_options: { is_disabled: true } };
      try {
        const answer = await poster.post(`${apiUrl}/bot${token}/sendMessage`, {}, JSON.stringify(message));
        return answer.status === 200 ? { ok: true } : refused(answer, [token, chat]);
      } catch (error) {
        return failedBy(error);
      }
    },
    close: () => poster.close(),
  };
}

function refused(answer: Answer, secrets: readonly string[]) {
  const { description = '', parameters } = said(answer.text);
  const text = secrets.reduce((told, secret) => told.replaceAll(secret, '***'), description);
  return refusedBy(
    { ...answer, retryAfter: parameters?.retry_after === undefined ? answer.retryAfter : String(Math.ceil(parameters.retry_after)) },
    text,
  );
}

function said(text: string): z.infer<typeof refusal> {
  try {
    return refusal.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
