import express from 'express';
import { streamRoute } from '../../contract/events.ts';
import { contract } from '../../contract/index.ts';
import type { GatewayStatus } from '../api/gateway.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { statusPage } from './app.ts';
import { consolePages } from './console.ts';
import { docsPages } from './docs.ts';
import { accessLog, answerError, noStore, securityHeaders } from './middleware.ts';
import { type Page, sendPage } from './page.ts';
import { Refusal } from './refusal.ts';
import { type Endpoint, routeTable } from './routes.ts';

export interface StandbyParts {
  status: () => GatewayStatus;
  log: Log;
  clock: Clock;
}

/** Its answers are soon another's. */
const RETRY_AFTER_S = 1;

/** The HTTP edge of a gateway that does not lead: root path and documents as ever, and for every operation 503 with who leads. It looks at no token and no body. */
export function createStandbyApp({ status, log, clock }: StandbyParts): express.Express {
  const find = routeTable<Endpoint | Page>([
    ...Object.values(contract),
    streamRoute,
    statusPage(status),
    ...docsPages(),
    ...consolePages(),
  ]);
  const serve: express.RequestHandler = async (req, res) => {
    const { entry } = find(req.method, req.url);
    if ('content' in entry) return await sendPage(entry, req, res);
    const { leader } = status();
    const message = `This gateway is a standby and nothing was done: ${leader === undefined ? 'nobody leads yet; ask again' : `${leader} leads`}`;
    throw new Refusal(503, message, { headers: { 'Retry-After': String(RETRY_AFTER_S) } });
  };
  const app = express().disable('x-powered-by').disable('query parser');
  app.use(accessLog(log, clock), securityHeaders, noStore, serve, answerError(log));
  return app;
}
