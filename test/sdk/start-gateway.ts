import type { PlaceReply } from '../../server/gateway.ts';
import { serve, TOKEN } from '../http/stand-in.ts';

export interface GatewayForSdk {
  baseUrl: string;
  token: string;
  close(): Promise<void>;
}

/** A gateway on loopback for a packed SDK to talk to: the real edge over a stand-in that fills every order and remembers keys. */
export async function startGatewayForSdk(): Promise<GatewayForSdk> {
  const stored = new Map<string, PlaceReply>();
  const { url, close } = await serve({
    gateway: {
      place: async ({ idempotency_key, quantity }, { replayOnly }) => {
        const key = idempotency_key ?? '';
        const known = stored.get(key);
        if (known) return { ...known, headers: { 'Idempotency-Replayed': 'true' } };
        if (replayOnly) return { status: 200, headers: {}, body: { success: false, message: 'No order is known under this key' } };
        const order_id = String(1000 + stored.size + 1);
        const body = {
          success: true as const,
          order_id,
          fill_status: 'FILLED' as const,
          filled_quantity: quantity,
          avg_fill_price: 812.35,
        };
        stored.set(key, { status: 200, headers: {}, body });
        return { status: 200, headers: {}, body };
      },
    },
  });
  return { baseUrl: url, token: TOKEN, close };
}
