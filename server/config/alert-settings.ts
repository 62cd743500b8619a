import type { settings } from './settings.ts';
import type { Values } from './table.ts';
import { together } from './together.ts';

export interface AlertSettings {
  /** Where alerts are posted to, and the bytes that sign them. */
  webhook: { url: string; secret: Buffer } | null;
  /** A bot, and the chat it writes to. */
  telegram: { apiUrl: string; token: string; chat: string } | null;
  /** Rupees, exact decimal text: a day's loss from here on is told; null: never. */
  dailyLoss: string | null;
  /** When the line of the day is sent, `HH:MM`, IST. */
  allWellAt: string;
}

/** A channel is set up whole or not at all. Throws ConfigError that names what is missing. */
export function alertSettings(values: Values<typeof settings>): AlertSettings {
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret, ALERT_TELEGRAM_TOKEN: token, ALERT_TELEGRAM_CHAT: chat } = values;
  together({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret });
  together({ ALERT_TELEGRAM_TOKEN: token, ALERT_TELEGRAM_CHAT: chat });
  return {
    webhook: url && secret ? { url, secret: Buffer.from(secret.replace('whsec_', ''), 'base64') } : null,
    telegram: token && chat ? { apiUrl: values.ALERT_TELEGRAM_API_URL, token, chat } : null,
    dailyLoss: values.ALERT_DAILY_LOSS ?? null,
    allWellAt: values.ALERT_ALL_WELL_AT,
  };
}
