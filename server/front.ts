import type { RequestListener } from 'node:http';
import type express from 'express';
import { systemClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { standbyScreen } from './first-screen.ts';
import { type Listening, listen } from './http/listen.ts';
import { createStandbyApp } from './http/standby.ts';
import { keepCertificate } from './http/tls.ts';
import type { Log } from './log.ts';

/** What answers on the port: the gateway while it leads, the standby while another one does. */
export interface Front {
  /** Takes calls from now on, over HTTPS where there is a certificate. Throws a ConfigError that names PORT or HOST. */
  listen(): Promise<Listening>;
  /** How long the TLS certificate is still good for, ms; null without one. */
  certificateLeftMs(): number | null;
  /** From now on the gateway answers. */
  serve(app: express.Express): void;
  /** From now on the standby answers; tells a person when another one leads than before. */
  wait(leader: string | null): void;
}

/** A front that waits. Throws a ConfigError when the certificate of TLS_CERT and TLS_KEY cannot be used. */
export function createFront(config: Config, log: Log): Front {
  const { mode, tls } = config;
  const certificate = tls && keepCertificate(tls, { log, clock: systemClock });
  const position_guard = config.positionGuard ? 'on' : 'off';
  let leader: string | null | undefined;
  const standby = createStandbyApp({
    status: () => ({ name: 'Broker Gateway', mode, broker: null, status: 'standby', ...(leader && { leader }), position_guard }),
    log,
    clock: systemClock,
  });
  let current = standby;
  const app: RequestListener = (req, res) => current(req, res);
  return {
    listen: () => listen(app, config, certificate),
    certificateLeftMs: () => certificate?.leftMs() ?? null,
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
