import type express from 'express';
import helmet from 'helmet';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { endWhileSent, isStillSent } from './linger.ts';
import { Refusal } from './refusal.ts';
import { pathOf } from './routes.ts';

/** Nothing from elsewhere, no inline script or style; the pages' icon is an empty data: image. */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // The gateway speaks plain HTTP: these belong to whoever puts TLS before it, and browsers complain of them without it.
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
});

/** Answers are about money and may change at any moment. */
export function noStore(_req: express.Request, res: express.Response, next: express.NextFunction): void {
  res.set('Cache-Control', 'no-store');
  next();
}

/** One line a request, at debug. Headers, query and bodies stay out: they may hold secrets. */
export function accessLog(log: Log, clock: Clock): express.RequestHandler {
  return (req, res, next) => {
    if (log.isLevelEnabled('debug')) {
      const { method, url } = req;
      const start = clock.mono();
      res.once('close', () =>
        log.debug({ method, path: pathOf(url), status: res.statusCode, ms: Math.round(clock.mono() - start) }, 'request'),
      );
    }
    next();
  };
}

/** Refusals as they are; anything else is logged and shown as no more than an internal error. */
export function answerError(log: Log): express.ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    // The sender broke off: there is nobody to answer.
    if (req.errored) return;
    const fault = error instanceof Refusal ? error.cause : error;
    if (fault !== undefined) log.error({ err: fault, method: req.method, path: pathOf(req.url) }, 'request failed');
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'Internal error');
    res.status(refusal.status).set(refusal.headers);
    if (isStillSent(req)) endWhileSent(req, res.type('json'), JSON.stringify(refusal.body));
    else res.json(refusal.body);
  };
}
