import type { RequestListener } from 'node:http';
import type express from 'express';
import { systemClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { standbyScreen } from './first-screen.ts';
import { createStandbyApp } from './http/standby.ts';
import type { Log } from './log.ts';

/** What answers on the port: the gateway while it leads, the standby while another one does. */
export interface Front {
  app: RequestListener;
  /** From now on the gateway answers. */
  serve(app: express.Express): void;
  /** From now on the standby answers; tells a person when another one leads than before. */
  wait(leader: string | null): void;
}

/** A front that waits. */
export function createFront(config: Config, log: Log): Front {
  const { mode } = config;
  const position_guard = config.positionGuard ? 'on' : 'off';
  let leader: string | null | undefined;
  const standby = createStandbyApp({
    status: () => ({ name: 'Broker Gateway', mode, broker: null, status: 'standby', ...(leader && { leader }), position_guard }),
    log,
    clock: systemClock,
  });
  let current = standby;
  return {
    app: (req, res) => current(req, res),
    serve(app) {
      current = app;
      leader = undefined;
    },
    wait(now) {
      if (now === leader && current === standby) return;
      current = standby;
      leader = now;
      log.info({ leader }, 'Standing by while another gateway leads');
      process.stdout.write(standbyScreen(config, now));
    },
  };
}
