import type { Described, Parameter } from './document.ts';
import { html, type Markup } from './html.ts';

/** A form that sends the operation to this gateway, filled in with the contract's examples. docs.js sends it. */
export function tryOf(operation: Described): Markup {
  const { operationId, method, path, summary, parameters = [] } = operation;
  const body = operation.requestBody?.content['application/json'];
  const streams = 'text/event-stream' in (operation.responses['200']?.content ?? {});
  return html`<details class="try"><summary>Try it<span class="unseen">: ${summary}</span></summary>
    <form data-method="${method}" data-path="${path}"${streams && html` data-streams`}>
      ${parameters.map((parameter) => input(operationId, parameter))}
      ${body && text(operationId, body.example)}
      <p class="buttons"><button type="submit">Send</button>${streams && html` <button type="button" class="stop" disabled>Stop</button>`}
        ${method === 'POST' && html`<span class="real">In live mode this is real.</span>`}</p>
      <p class="outcome" role="status"></p>
      <pre class="answer" tabindex="0" hidden aria-label="The answer"></pre>
    </form>
  </details>`;
}

function input(operationId: string, { name, in: place, required, example }: Parameter): Markup {
  const id = `${operationId}-${name}`;
  const given = required || place === 'path' ? String(example ?? '') : '';
  return html`<p><label for="${id}">${name}</label>
    <input id="${id}" name="${name}" data-in="${place}" value="${given}" placeholder="${String(example ?? '')}" autocomplete="off" spellcheck="false"${required && html` required`}></p>`;
}

function text(operationId: string, example: unknown): Markup {
  const json = JSON.stringify(example, null, 2);
  const id = `${operationId}-body`;
  return html`<p><label for="${id}">Body</label>
    <textarea id="${id}" data-body rows="${json.split('\n').length}" spellcheck="false" autocomplete="off">${json}</textarea></p>`;
}
