import { readFileSync } from 'node:fs';
import { openApiDocument } from '../api/openapi.ts';

export interface Page {
  method: 'GET';
  path: string;
  type: string;
  content: () => string | Buffer;
}

const files = {
  '/docs': ['html', new URL('./docs/index.html', import.meta.url)],
  '/docs/docs.css': ['css', new URL('./docs/docs.css', import.meta.url)],
  '/docs/docs.js': ['js', new URL('./docs/docs.js', import.meta.url)],
  '/docs/swagger-ui.css': ['css', new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))],
  '/docs/swagger-ui.js': ['js', new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))],
} as const;

/** The OpenAPI document and the docs site: our own files and swagger-ui's, read once at first use. */
export function docsPages(): Page[] {
  const pages = Object.entries(files).map(([path, [type, file]]) => page(path, type, () => readFileSync(file)));
  return [page('/openapi.json', 'json', () => JSON.stringify(openApiDocument())), ...pages];
}

function page(path: string, type: string, read: () => string | Buffer): Page {
  let kept: string | Buffer | undefined;
  return {
    method: 'GET',
    path,
    type,
    content: () => {
      kept ??= read();
      return kept;
    },
  };
}
