import type { Latencies } from '../../contract/profit.ts';
import type { OrderStep, RecordedOrder } from '../../contract/records.ts';

type Order = Pick<RecordedOrder, 'order_id' | 'symbol' | 'status' | 'external' | 'steps'>;

const ENDS = new Set(['filled', 'rejected', 'cancelled', 'resting', 'resolved', 'not_sent']);

/** How long each order took, oldest first: those alone that were sent. */
export function latenciesOf(orders: readonly Order[]): Latencies['orders'] {
  return orders
    .filter(({ external, steps }) => !external && steps.some(({ step }) => step === 'sent'))
    .map(({ order_id, symbol, status, steps }) => ({ order_id, symbol, status, at: steps[0]?.at ?? null, ...legsOf(steps) }))
    .sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1));
}

function legsOf(steps: readonly OrderStep[]) {
  const after = (fits: (step: string) => boolean) => steps.find(({ step }) => fits(step))?.after_ms ?? null;
  const sent = after((step) => step === 'sent');
  const answered = after((step) => step === 'accepted' || step === 'rejected' || step === 'unknown');
  const final = after((step) => ENDS.has(step));
  const leg = (from: number | null, to: number | null) => (from === null || to === null ? null : Math.round((to - from) * 10) / 10);
  return { to_sent_ms: sent, to_accepted_ms: leg(sent, answered), to_final_ms: leg(answered, final), total_ms: final };
}
