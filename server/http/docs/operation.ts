import type { Api, Described, Parameter } from './document.ts';
import { fieldsOf, parametersOf } from './fields.ts';
import { html, type Markup } from './html.ts';
import { type Address, inline } from './markdown.ts';
import { tryOf } from './try-it.ts';

/** One operation: what it does, takes and answers on one side; samples, an example and a try on the other. */
export function drawOperation(operation: Described, api: Api, address: Address): Markup {
  const { operationId, method, path, summary, description, parameters = [] } = operation;
  const body = operation.requestBody?.content['application/json'];
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
    <div class="told">
      <h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
      <p class="line"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
      <p>${inline(description, address)}</p>
      ${where(parameters, 'path', 'In the path', api, address)}
      ${where(parameters, 'query', 'In the query', api, address)}
      ${where(parameters, 'header', 'Heads', api, address)}
      ${body && html`<h4>Body</h4>${fieldsOf(body.schema, api, address)}`}
      ${answers(operation, api, address)}
    </div>
    <div class="shown">${samples(operation)}${example(operation)}${tryOf(operation)}</div>
  </section>`;
}

function where(all: readonly Parameter[], place: Parameter['in'], title: string, api: Api, address: Address): Markup | null {
  const parameters = all.filter((parameter) => parameter.in === place);
  return parameters.length === 0 ? null : html`<h4>${title}</h4>${parametersOf(parameters, api, address)}`;
}

function answers({ responses }: Described, api: Api, address: Address): Markup {
  const { description = '', headers = {}, content = {} } = responses['200'] ?? {};
  const [answer] = Object.values(content);
  const refused = Object.entries(responses).filter(([status]) => status !== '200');
  return html`<h4>Answer</h4>
    <details><summary>200: ${description}</summary>
      ${answer?.schema && fieldsOf(answer.schema, api, address)}
      ${
        Object.keys(headers).length > 0 &&
        html`<dl class="fields">${Object.entries(headers).map(
          ([name, head]) => html`<div><dt><code>${name}</code> <span class="type">head</span></dt><dd>${head.description}</dd></div>`,
        )}</dl>`
      }
    </details>
    <details><summary>${refused.map(([status]) => status).join(', ')}: the request was refused</summary>
      <dl class="fields">${refused.map(
        ([status, response]) => html`<div><dt><code>${status}</code></dt><dd>${api.answerOf(response).description}</dd></div>`,
      )}</dl>
    </details>`;
}

function samples({ 'x-codeSamples': all, summary }: Described): Markup {
  return html`<div class="samples">
    <div class="tabs" role="group" aria-label="Language of the sample">${all.map(
      ({ lang, label }) => html`<button type="button" data-show="${lang}" aria-pressed="false">${label}</button>`,
    )}<button type="button" class="copy">Copy</button></div>
    ${all.map(({ lang, label, source }) => html`<pre tabindex="0" data-sample="${lang}" aria-label="${summary} in ${label}">${source}</pre>`)}
  </div>`;
}

function example({ responses }: Described): Markup | null {
  const value = Object.values(responses['200']?.content ?? {})[0]?.example;
  if (value === undefined) return null;
  return html`<details class="example"><summary>An answer</summary><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>`;
}
