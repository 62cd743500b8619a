/** What of the audit trail is shown; times as a person writes them, IST. */
export type EventFilter = Partial<Record<'kind' | 'symbol' | 'order_id' | 'from' | 'to', string>>;

/** Before every number there will ever be: the newest page. */
export const NEWEST = Number.MAX_SAFE_INTEGER;
export const PAGE = 100;

/** 2026-11-23T09:15 of the exchange's clock as a moment with its zone. */
export function instantOf(text: string | undefined): string | undefined {
  return text ? `${text.length === 16 ? `${text}:00` : text}+05:30` : undefined;
}
