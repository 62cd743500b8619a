/** Markup that is ready to be sent. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | false | null | undefined | readonly Part[];

/** Markup as a template: what stands in `${}` becomes text, unless it is markup itself; false, null and undefined become nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.map((text, index) => text + (index < parts.length ? written(parts[index]) : '')).join(''));
}

function written(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map((one: Part) => written(one)).join('');
  return part === false || part === null || part === undefined ? '' : escaped(String(part));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
