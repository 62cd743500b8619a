import type { Api, Parameter, Schema } from './document.ts';
import { html, type Markup } from './html.ts';
import { type Address, inline } from './markdown.ts';

/** Draws what an object has: each member with its type, what it is when left out, and what it means; objects in it unfold. */
export function fieldsOf(given: Schema, api: Api, address: Address, seen: readonly string[] = []): Markup {
  const { schema, name } = api.schemaOf(given);
  const options = schema.oneOf ?? schema.anyOf;
  const known = name ? [...seen, name] : seen;
  if (options) return html`${options.map((option) => optionOf(option, api, address, known))}`;
  if (schema.items) return fieldsOf(schema.items, api, address, known);
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties ?? {});
  return html`<dl class="fields">${members.map(([member, part]) => field(member, part, required.has(member), api, address, known))}</dl>`;
}

function optionOf(option: Schema, api: Api, address: Address, seen: readonly string[]): Markup {
  const { schema, name } = api.schemaOf(option);
  if (!hasMembers(option, api)) return html``;
  return html`<section class="option"><p><strong>${name ?? 'One of'}</strong> ${schema.description ?? ''}</p>${fieldsOf(option, api, address, seen)}</section>`;
}

/** Parameters of an address or a head. */
export function parametersOf(parameters: readonly Parameter[], api: Api, address: Address): Markup {
  return html`<dl class="fields">${parameters.map(({ name, schema, required, description }) =>
    field(name, { ...schema, ...(description !== undefined && { description }) }, required === true, api, address, []),
  )}</dl>`;
}

function field(name: string, given: Schema, required: boolean, api: Api, address: Address, seen: readonly string[]): Markup {
  const { schema, name: ref } = api.schemaOf(given);
  const inner = nested(given, api);
  const repeats = inner?.name !== null && inner?.name !== undefined && seen.includes(inner.name);
  return html`<div>
    <dt><code>${name}</code> <span class="type">${typeOf(given, api)}</span>${required && html` <span class="must">required</span>`}${
      schema.default !== undefined && html` <span class="type">${JSON.stringify(schema.default)} unless given</span>`
    }</dt>
    <dd>${inline(given.description ?? schema.description ?? '', address)}${
      inner &&
      !repeats &&
      html`<details><summary>Members of ${inner.name ?? ref ?? name}</summary>${fieldsOf(inner.schema, api, address, inner.name ? [...seen, inner.name] : seen)}</details>`
    }</dd>
  </div>`;
}

/** What has members of its own within a member. */
function nested(given: Schema, api: Api): { schema: Schema; name: string | null } | null {
  const { schema, name } = api.schemaOf(given);
  if (schema.items) return nested(schema.items, api);
  const option = (schema.oneOf ?? schema.anyOf)?.find((one) => hasMembers(one, api));
  if (option) return nested(option, api);
  return hasMembers(given, api) ? { schema, name } : null;
}

function hasMembers(given: Schema, api: Api): boolean {
  const { schema } = api.schemaOf(given);
  if (schema.items) return hasMembers(schema.items, api);
  return Object.keys(schema.properties ?? {}).length > 0 || (schema.oneOf ?? schema.anyOf ?? []).some((one) => hasMembers(one, api));
}

/** A type in words: text, number, true, list of OrderRow, one of A, B. */
function typeOf(given: Schema, api: Api): string {
  const { schema, name } = api.schemaOf(given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(String).join(', ');
  if (schema.items) return `list of ${typeOf(schema.items, api)}`;
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return [...new Set(options.map((option) => typeOf(option, api)))].join(' or ');
  const types = [schema.type ?? []].flat().map((type) => words[type] ?? type);
  if (types.includes('object') && name) return name;
  return types.join(' or ') || 'any';
}
const words: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false', integer: 'whole number' };
