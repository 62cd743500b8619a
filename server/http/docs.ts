import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { openApiDocument } from '../api/openapi.ts';
import { createSite, guideNames } from './docs/site.ts';
import { keptPage, type Page } from './page.ts';

/** The OpenAPI document and the docs site: the reference and the guides, drawn once at first use, with stylesheets and a script of ours. */
export function docsPages(): Page[] {
  const site = createSite();
  const file = (name: string) => readFileSync(new URL(`docs/${name}`, import.meta.url));
  return [
    keptPage('/openapi.json', 'json', () => JSON.stringify(openApiDocument())),
    keptPage('/docs', 'html', site.reference),
    ...guideNames().map((name) => keptPage(`/docs/guides/${name}`, 'html', () => site.guide(name))),
    ...['colours.css', 'base.css', 'frame.css', 'text.css', 'docs.js'].map((name) =>
      keptPage(`/docs/${name}`, extname(name).slice(1), () => file(name)),
    ),
  ];
}
