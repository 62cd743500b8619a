import { signal } from '@preact/signals';

/** Where the page is: `#/orders?day=2026-11-23` is the view orders with that member. */
export interface Place {
  view: string;
  query: URLSearchParams;
}

function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { view: path, query: new URLSearchParams(query) };
}

export const place = signal<Place>(placeOf(location.hash));
addEventListener('hashchange', () => {
  place.value = placeOf(location.hash);
});

/** The address of a view, for links. */
export function address(view: string, query: Readonly<Record<string, string>> = {}): string {
  const members = new URLSearchParams(query).toString();
  return `#/${view}${members && `?${members}`}`;
}

export function goTo(view: string, query: Readonly<Record<string, string>> = {}): void {
  location.hash = address(view, query);
}
