import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Instrument } from '../../../../../contract/instruments.ts';
import { html } from '../html.ts';
import { price } from '../state/format.ts';
import { searcher } from '../state/search.ts';

interface SearchProps {
  id: string;
  /** What is chosen already. */
  text: string;
  /** null: other words were typed, so what was chosen is not meant any more. */
  onChoose: (instrument: Instrument | null) => void;
  faulty?: boolean;
}

/** A combobox over the broker's instruments: words in any order, arrows and Enter choose. */
export function InstrumentSearch({ id, text, onChoose, faulty = false }: SearchProps) {
  // What is being typed; null: what is chosen is shown.
  const [typed, setTyped] = useState<string | null>(null);
  const [{ found, fault, stale }, search] = useSearch();
  const [active, setActive] = useState(0);
  const entered = useRef(false);
  useEffect(() => {
    setActive(0);
    if (entered.current) choose(found[0]);
  }, [found]);
  function choose(one: Instrument | undefined): void {
    if (!one) return;
    close();
    setTyped(null);
    onChoose(one);
  }
  function close(): void {
    entered.current = false;
    search('');
  }
  function onKeyDown(event: KeyboardEvent): void {
    const moves: Record<string, () => void> = {
      ArrowDown: () => setActive((active + 1) % found.length),
      ArrowUp: () => setActive((active - 1 + found.length) % found.length),
      Enter: () => choose(found[active]),
      Escape: close,
    };
    // The list is still the one of fewer words: Enter means the first of the list that comes.
    if (event.key === 'Enter' && stale) entered.current = true;
    else if (moves[event.key] && found.length > 0) moves[event.key]?.();
    else return;
    event.preventDefault();
  }
  const open = found.length > 0;
  return html`<div class="combo" onFocusOut=${(event: FocusEvent) => !(event.currentTarget as Node).contains(event.relatedTarget as Node | null) && close()}>
    <input id=${id} type="search" role="combobox" autocomplete="off" spellcheck=${false} placeholder="Name, symbol, strike, month" value=${typed ?? text}
      aria-expanded=${open} aria-controls="${id}-list" aria-autocomplete="list" aria-invalid=${faulty} aria-describedby="${id}-fault"
      aria-activedescendant=${open ? `${id}-${active}` : undefined}
      onKeyDown=${onKeyDown}
      onFocus=${(event: FocusEvent) => (event.target as HTMLInputElement).select()}
      onInput=${(event: InputEvent) => {
        const given = (event.target as HTMLInputElement).value;
        setTyped(given);
        onChoose(null);
        entered.current = false;
        search(given);
      }} />
    <${Found} id=${id} found=${found} active=${active} choose=${choose} />
    ${fault !== null && html`<small class="fault" role="alert">${fault}</small>`}
  </div>`;
}

/** What a search has found; stale while the answer to the newest words is still to come. */
function useSearch() {
  const [list, setList] = useState({ found: [] as readonly Instrument[], fault: null as string | null, stale: false });
  const ask = useMemo(() => searcher((found, fault) => setList({ found, fault, stale: false })), []);
  const search = (words: string) => {
    setList((before) => ({ ...before, stale: true }));
    ask(words);
  };
  return [list, search] as const;
}

interface FoundProps {
  id: string;
  found: readonly Instrument[];
  active: number;
  choose: (one: Instrument) => void;
}

function Found({ id, found, active, choose }: FoundProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active]);
  return html`<ul id="${id}-list" ref=${list} role="listbox" aria-label="Instruments found" hidden=${found.length === 0}>
    ${found.map(
      (one, index) => html`<li key=${one.instrument} id="${id}-${index}" role="option" aria-selected=${index === active}
        onPointerDown=${(event: PointerEvent) => event.preventDefault()} onClick=${() => choose(one)}>
        <b>${one.symbol}</b><span class="soft">${one.exchange} ${'\u00b7'} ${described(one)}</span>
      </li>`,
    )}
  </ul>`;
}

function described({ name, kind, expiry, strike, lot_size }: Instrument): string {
  if (kind === 'EQ') return name ?? 'share';
  return [expiry, strike === null ? kind : `${price(strike)} ${kind}`, `lot ${lot_size}`].filter((word) => word !== null).join(', ');
}
