import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Instrument } from '../../../../../contract/instruments.ts';
import { html } from '../html.ts';
import { price } from '../state/format.ts';
import { searcher } from '../state/search.ts';

interface SearchProps {
  id: string;
  /** What is chosen already. */
  text: string;
  onChoose: (instrument: Instrument) => void;
  faulty?: boolean;
}

/** A combobox over the broker's instruments: words in any order, arrows and Enter choose. */
export function InstrumentSearch({ id, text, onChoose, faulty = false }: SearchProps) {
  const [words, setWords] = useState(text);
  const [found, setFound] = useState<readonly Instrument[]>([]);
  const [fault, setFault] = useState<string | null>(null);
  const [active, setActive] = useState(-1);
  const search = useMemo(
    () =>
      searcher((rows, problem) => {
        setFound(rows);
        setFault(problem);
        setActive(rows.length > 0 ? 0 : -1);
      }),
    [],
  );
  useEffect(() => setWords(text), [text]);
  function choose(one: Instrument | undefined): void {
    if (!one) return;
    close();
    setWords(one.instrument);
    onChoose(one);
  }
  function close(): void {
    search('');
    setFound([]);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const moves: Record<string, () => void> = {
      ArrowDown: () => setActive((active + 1) % found.length),
      ArrowUp: () => setActive((active - 1 + found.length) % found.length),
      Enter: () => choose(found[active]),
      Escape: close,
    };
    const move = moves[event.key];
    if (!move || found.length === 0) return;
    event.preventDefault();
    move();
  }
  const open = found.length > 0;
  return html`<div class="combo" onFocusOut=${(event: FocusEvent) => !(event.currentTarget as Node).contains(event.relatedTarget as Node | null) && close()}>
    <input id=${id} type="search" role="combobox" autocomplete="off" spellcheck="false" placeholder="Name, symbol, strike, month" value=${words}
      aria-expanded=${open} aria-controls="${id}-list" aria-autocomplete="list" aria-invalid=${faulty} aria-describedby="${id}-fault"
      aria-activedescendant=${open ? `${id}-${active}` : undefined}
      onKeyDown=${onKeyDown}
      onFocus=${(event: FocusEvent) => (event.target as HTMLInputElement).select()}
      onInput=${(event: InputEvent) => {
        const given = (event.target as HTMLInputElement).value;
        setWords(given);
        search(given);
      }} />
    <${Found} id=${id} found=${found} active=${active} choose=${choose} />
    ${fault !== null && html`<small class="fault" role="alert">${fault}</small>`}
  </div>`;
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
