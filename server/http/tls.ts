import type { ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Clock } from '../clock.ts';
import { type Certificate, type CertificateFiles, dayOf, readCertificate } from '../config/certificate.ts';
import type { Log } from '../log.ts';

/** A renewed certificate is served within this. */
const LOOK_EVERY_MS = 10_000;
/** From so many days before its end on it is told once a day. */
const WARN_DAYS = 14;
const DAY_MS = 86_400_000;
/** As for a request without a token: who has not shaken hands by then leaves. */
const HANDSHAKE_MS = 9_000;

/** The certificate of TLS_CERT and TLS_KEY, as the files hold it now. */
export interface CertificateKeeper {
  /** How long it is still good for, ms; less than 0 when it has ended. */
  leftMs(): number;
  /** A server that answers with it, and from then on with each that follows. */
  serve(options: ServerOptions): Server;
}

interface Parts {
  log: Log;
  clock: Clock;
}

/**
 * Reads the certificate, and again every 10 s: a renewal is served from the next connection on, those that stand go on. Files are read and not watched: renewals
 * replace links, folders and mounts in ways that no watch follows. What cannot be used leaves the one before in place, and is told. Throws ConfigError at first.
 */
export function keepCertificate(files: CertificateFiles, { log, clock }: Parts): CertificateKeeper {
  let current = readCertificate(files, clock.now());
  let told = '';
  let toldDays = Number.POSITIVE_INFINITY;

  function look(server: Server): void {
    try {
      const next = readCertificate(files, clock.now());
      if (next.cert !== current.cert || next.key !== current.key) {
        server.setSecureContext(next);
        current = next;
        log.info({ until: dayOf(next.endsAt) }, 'A new TLS certificate is served');
      }
      told = '';
    } catch (error) {
      const trouble = error instanceof Error ? error.message : String(error);
      if (trouble !== told) log.warn({ trouble }, 'The TLS certificate that was found cannot be used; the one before is served on');
      told = trouble;
    }
    tellEnd();
  }

  function tellEnd(): void {
    const days = Math.floor((current.endsAt - clock.now()) / DAY_MS);
    if (days < WARN_DAYS && days !== toldDays) log.warn({ until: dayOf(current.endsAt), days }, 'The TLS certificate ends soon; renew it');
    toldDays = days;
  }

  return {
    leftMs: () => current.endsAt - clock.now(),
    serve(options) {
      const server = createServer({ ...options, ...secured(current) });
      const over = new AbortController();
      server.once('close', () => over.abort());
      tellEnd();
      void (async () => {
        for (;;) {
          await clock.sleep(LOOK_EVERY_MS, over.signal);
          if (over.signal.aborted) return;
          look(server);
        }
      })();
      return server;
    },
  };
}

function secured({ cert, key }: Certificate) {
  return { cert, key, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'], handshakeTimeout: HANDSHAKE_MS } as const;
}
