import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import type { Meters } from '../meters.ts';
import type { Figures } from './figures.ts';

export interface OpenOps {
  /** What the parts of the gateway tell; undefined where OPS_PORT is 0, and nothing is counted then. */
  meters: Meters | undefined;
  /** Where they are served, for the first screen; null where OPS_PORT is 0. */
  line(): string | null;
  close(): void;
}

/** Opens OPS_PORT, unless it is 0: then prom-client is not even loaded. `figures`: null before there is a gateway. Never rejects because of the port. */
export async function openOps({ opsHost: host, opsPort: port }: Config, log: Log, figures: () => Figures | null): Promise<OpenOps> {
  if (port === 0) return { meters: undefined, line: () => null, close: () => undefined };
  const [{ createMetrics }, { serveOps }] = await Promise.all([import('./metrics.ts'), import('./serve.ts')]);
  const metrics = createMetrics({ process: true });
  const ops = await serveOps({ host, port, log, metrics, figures });
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    meters: metrics.meters,
    line: () =>
      ops.port() === null ? `NOT served: port ${port} cannot be had on ${host} (OPS_PORT); it is tried again` : `${address}/metrics`,
    close: () => ops.close(),
  };
}
