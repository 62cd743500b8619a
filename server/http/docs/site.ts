import { readdirSync, readFileSync } from 'node:fs';
import { type Api, readApi } from './document.ts';
import { html, type Markup } from './html.ts';
import { type Address, type Guide, guideOf, inline } from './markdown.ts';
import { drawOperation } from './operation.ts';

const folder = new URL('../../../docs/guides/', import.meta.url);
/** In the order in which they are read. */
const order = ['first-order', 'exits', 'idempotency', 'unknown-answers', 'going-live'];

/** The names of the guides, those a reader needs first in front. */
export function guideNames(): string[] {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** The docs site: the reference, and a page for each guide, each made whole when it is asked for. */
export interface Site {
  reference(): string;
  guide(name: string): string;
}

export function createSite(): Site {
  let made: { api: Api; address: Address; guides: Map<string, Guide> } | undefined;
  function parts(): NonNullable<typeof made> {
    if (!made) {
      const api = readApi();
      const address = addressIn(api);
      const read = (name: string) => guideOf(readFileSync(new URL(`${name}.md`, folder), 'utf8'), address);
      made = { api, address, guides: new Map(guideNames().map((name) => [name, read(name)])) };
    }
    return made;
  }
  return {
    reference() {
      const { api, address, guides } = parts();
      return page('Broker Gateway', navigation(api, guides, null), referenceOf(api, address, guides));
    },
    guide(name) {
      const { api, guides } = parts();
      const { title = '', body = null } = guides.get(name) ?? {};
      return page(`${title} \u00b7 Broker Gateway`, navigation(api, guides, name), html`<article class="guide">${body}</article>`);
    },
  };
}

/** A guide by its file, an operation by its method and path, a page of the repository by its name; null for what leads nowhere here. */
function addressIn(api: Api): Address {
  const operations = new Map(
    api.groups.flatMap((group) => group.operations.map(({ method, path, operationId }) => [`${method} ${path}`, operationId])),
  );
  return (to) => {
    const [, guide, part = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(to) ?? [];
    if (guide) return `/docs/guides/${guide}${part}`;
    const operation = operations.get(to);
    if (operation) return `/docs#${operation}`;
    return /^(https?:|\/)/.test(to) && !to.startsWith('/broker') ? to : null;
  };
}

function referenceOf(api: Api, address: Address, guides: ReadonlyMap<string, Guide>): Markup {
  return html`<header class="intro">
      <h1>Broker Gateway</h1>
      <p>One brokerage account over HTTP and JSON. Orders are placed at most once, and every answer tells the real fill.
        An operation that cannot be served answers 200 with <code>success: false</code>; other statuses mean that the request itself was refused.</p>
      <ul class="cards">${[...guides].map(
        ([name, { title, about }]) => html`<li><a href="/docs/guides/${name}">${title}</a><p>${inline(about, () => null)}</p></li>`,
      )}</ul>
    </header>
    ${api.groups.map(
      ({ name, description, operations }) => html`<section class="group" aria-labelledby="group-${name}">
        <h2 id="group-${name}">${name}</h2><p>${description}</p>
        ${operations.map((operation) => drawOperation(operation, api, address))}
      </section>`,
    )}`;
}

function navigation(api: Api, guides: ReadonlyMap<string, Guide>, current: string | null): Markup {
  const here = (name: string) => name === current && html` aria-current="page"`;
  return html`<nav aria-label="Docs">
    <p><label for="find">Find an operation</label><input id="find" type="search" autocomplete="off" spellcheck="false"></p>
    <h2>Guides</h2>
    <ul>${[...guides].map(([name, { title }]) => html`<li><a href="/docs/guides/${name}"${here(name)}>${title}</a></li>`)}</ul>
    ${api.groups.map(
      ({ name, operations }) =>
        html`<div class="found"><h2>${name}</h2><ul>${operations.map(
          ({ operationId, method, path, summary }) =>
            html`<li data-find="${`${operationId} ${path} ${summary}`.toLowerCase()}"><a href="/docs#${operationId}"><span class="method ${method.toLowerCase()}">${method}</span> ${summary}</a></li>`,
        )}</ul></div>`,
    )}
    <p class="none" role="status"></p>
  </nav>`;
}

function page(title: string, nav: Markup, main: Markup): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/colours.css">
    <link rel="stylesheet" href="/docs/base.css">
    <link rel="stylesheet" href="/docs/frame.css">
    <link rel="stylesheet" href="/docs/text.css">
    <script src="/docs/docs.js" defer></script>
  </head>
  <body>
    <a class="skip" href="#main">Skip to the text</a>
    <header class="bar">
      <a class="name" href="/docs">Broker Gateway</a>
      <span class="mode" role="status"></span>
      <a href="/console">Console</a>
      <a href="/openapi.json">openapi.json</a>
      <form class="token"><label for="token">API token</label><input id="token" type="password" autocomplete="off" spellcheck="false"><button type="submit">Use it</button></form>
    </header>
    <div class="columns"><details class="contents" open><summary>Contents</summary>${nav}</details><main id="main" tabindex="-1">${main}</main></div>
    <dialog class="ask"><form method="dialog"><h2>Send it in live mode?</h2><p></p><p class="buttons"><button value="no">Do not send</button> <button value="yes" class="danger">Send it</button></p></form></dialog>
  </body>
</html>
`.text;
}
