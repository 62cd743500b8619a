import { startGateway } from '../support/gateway.ts';

export interface GatewayForSdk {
  baseUrl: string;
  token: string;
  close(): Promise<void>;
}

/** The real gateway in practice mode, for a packed SDK to talk to. */
export async function startGatewayForSdk(): Promise<GatewayForSdk> {
  const { url, token, stop } = await startGateway({ instruments: true });
  return { baseUrl: url, token, close: stop };
}
