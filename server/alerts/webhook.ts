import { createHmac } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { AlertSettings } from '../config/config.ts';
import { type Channel, failedBy, Poster, refusedBy } from './post.ts';

/**
 * Posts the alert's JSON, signed as the Standard Webhooks specification has it (standardwebhooks.com): `webhook-id` is the alert's, `webhook-timestamp`
 * seconds since the epoch, `webhook-signature` "v1," and the base64 of HMAC-SHA256 over `id.timestamp.body`. Any 2xx takes it.
 */
export function webhook({ url, secret }: NonNullable<AlertSettings['webhook']>, clock: Clock): Channel {
  const poster = new Poster(clock);
  return {
    name: 'webhook',
    host: new URL(url).host,
    async send(body) {
      const { id } = JSON.parse(body) as { id: string };
      const timestamp = String(Math.floor(clock.now() / 1000));
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatureOf(secret, id, timestamp, body) };
      try {
        const answer = await poster.post(url, headers, body);
        return answer.status >= 200 && answer.status < 300 ? { ok: true } : refusedBy(answer);
      } catch (error) {
        return failedBy(error);
      }
    },
    close: () => poster.close(),
  };
}

function signatureOf(secret: Buffer, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
