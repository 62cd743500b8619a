import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** Largest request body, bytes. */
const LIMIT_BYTES = 64 * 1024;

/**
 * The JSON value of a request body. Refuses what is not `application/json` in UTF-8, compressed bodies, bodies over 64 KiB
 * and broken JSON. Of a key given twice the last one counts, here as everywhere behind: the body is read once, by one parser.
 */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  if (!isJson(req.headers['content-type'])) throw new Refusal(415, 'The body must be application/json in UTF-8');
  const bytes = await readBytes(req);
  if (!isUtf8(bytes)) throw new Refusal(400, 'The body is not valid UTF-8');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal(400, 'The body is not valid JSON');
  }
}

/** A request body's bytes, whatever their type. Rejects as the request fails: then its sender is gone. */
export async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const encoding = req.headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') throw new Refusal(415, 'Compressed bodies are not accepted');
  if (Number(req.headers['content-length']) > LIMIT_BYTES) throw tooLarge();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LIMIT_BYTES) chunks.push(chunk);
    // The socket must outlive a refusal, so that its sender can read the answer: the rest of the body is read and dropped.
    else reject(tooLarge());
  });
  req.on('end', () => resolve(Buffer.concat(chunks)));
  req.on('error', reject);
  return await promise;
}

function tooLarge(): Refusal {
  return new Refusal(413, 'The body is larger than 64 KiB');
}

function isJson(contentType = ''): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return type === 'application/json' && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}
