import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import type express from 'express';

/** A file of ours, or of a package, served to a browser. */
export interface Page {
  method: 'GET';
  path: string;
  /** An extension: html, css, js, json. */
  type: string;
  content: () => Served | Promise<Served>;
}

export interface Served {
  body: string | Buffer;
  /** The same, packed; where it stands, browsers that take it get it. */
  gzip?: Buffer;
}

/** A page whose content is made once, at first use, and packed then. */
export function keptPage(path: string, type: string, read: () => string | Buffer): Page {
  let kept: Served | undefined;
  return {
    method: 'GET',
    path,
    type,
    content: () => {
      if (!kept) {
        const body = read();
        kept = { body, gzip: gzipSync(body) };
      }
      return kept;
    },
  };
}

/** Answers with a page. Express adds the ETag of what is sent, and answers 304 to who has it. */
export async function sendPage(page: Page, req: express.Request, res: express.Response): Promise<void> {
  const { body, gzip } = await page.content();
  res.set('Cache-Control', 'no-cache').type(page.type);
  if (gzip) res.vary('Accept-Encoding');
  if (gzip && takesGzip(req)) res.set('Content-Encoding', 'gzip').send(gzip);
  else res.send(body);
}

function takesGzip(req: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(req.headers['accept-encoding'] ?? ''));
}
