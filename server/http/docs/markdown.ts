import { html, type Markup } from './html.ts';

/** Where a link of a guide leads: other guides by their file, operations by method and path, and pages of the repository. */
export type Address = (to: string) => string | null;

/** The title of a guide, its first paragraph, and all of it. */
export interface Guide {
  title: string;
  about: string;
  body: Markup;
}

/**
 * A guide of docs/guides as markup. It knows what these use, and no more: headings, paragraphs, lists, tables, fenced code, and in a line code, bold
 * and links. Anything else stands there as it was written.
 */
export function guideOf(text: string, address: Address): Guide {
  const [first = '', ...blocks] = blocksOf(text);
  const [about = ''] = blocks;
  return {
    title: first.replace(/^# /, ''),
    about,
    body: html`<h1>${inline(first.replace(/^# /, ''), address)}</h1>${blocks.map((block) => drawn(block, address))}`,
  };
}

/** Blocks stand apart by an empty line; code keeps its own. */
function blocksOf(text: string): string[] {
  return (
    text
      .trim()
      .match(/```[\s\S]*?\n```|(?:(?!```)[^\n]+\n?)+/g)
      ?.map((block) => block.trim()) ?? []
  );
}

function drawn(block: string, address: Address): Markup {
  const fence = /^```(\w*)\n([\s\S]*)\n```$/.exec(block);
  if (fence) return html`<div class="code"><pre tabindex="0" data-language="${fence[1]}">${fence[2]}</pre></div>`;
  const heading = /^(#{2,3}) (.*)$/.exec(block);
  if (heading) return headed(heading[1]?.length ?? 2, heading[2] ?? '', address);
  const lines = block.split('\n');
  if (lines.every((line) => line.startsWith('|'))) return table(lines, address);
  if (block.startsWith('- ')) return html`<ul>${itemsOf(block, /^- /gm).map((item) => html`<li>${inline(item, address)}</li>`)}</ul>`;
  if (block.startsWith('1. ')) return html`<ol>${itemsOf(block, /^\d+\. /gm).map((item) => html`<li>${inline(item, address)}</li>`)}</ol>`;
  return html`<p>${inline(block, address)}</p>`;
}

function headed(level: number, text: string, address: Address): Markup {
  const id = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return level === 2 ? html`<h2 id="${id}">${inline(text, address)}</h2>` : html`<h3 id="${id}">${inline(text, address)}</h3>`;
}

function itemsOf(block: string, bullet: RegExp): string[] {
  return block
    .split(bullet)
    .slice(1)
    .map((item) => item.trim());
}

function table([head = '', , ...rows]: string[], address: Address): Markup {
  const cells = (row: string) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => inline(cell.trim(), address));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>
    <thead><tr>${cells(head).map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** A line with its code, bold and links; an operation named in code leads to it. */
export function inline(text: string, address: Address): Markup {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/);
  return html`${parts.map((part): Markup | string => {
    const code = /^`([^`]+)`$/.exec(part)?.[1];
    if (code !== undefined) return linked(address(code), html`<code>${code}</code>`);
    const bold = /^\*\*([^*]+)\*\*$/.exec(part)?.[1];
    if (bold !== undefined) return html`<strong>${bold}</strong>`;
    const [, words, to] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? [];
    return words !== undefined && to !== undefined
      ? linked(
          address(to),
          inline(words, () => null),
        )
      : part;
  })}`;
}

function linked(to: string | null, words: Markup): Markup {
  return to === null ? words : html`<a href="${to}">${words}</a>`;
}
