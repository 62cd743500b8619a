import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Children, html } from '../html.ts';

interface Opened {
  title: string;
  /** Wide enough for a table. */
  wide?: boolean;
  body: (close: () => void) => Children;
  onClose?: () => void;
}

const opened = signal<readonly (Opened & { id: number })[]>([]);
let count = 0;

/** Opens a dialog; `body` is drawn in it and may close it. Returns what closes it. */
export function openDialog(dialog: Opened): () => void {
  count += 1;
  const id = count;
  opened.value = [...opened.value, { ...dialog, id }];
  return () => close(id);
}

/** Whether one is open: shortcuts rest meanwhile. */
export function dialogOpen(): boolean {
  return opened.value.length > 0;
}

export interface Question {
  title: string;
  body: Children;
  /** What the button says that does it. */
  yes: string;
  danger?: boolean;
}

/** Asks before something is done. True: the person pressed the button that says so. Enter alone confirms nothing dangerous. */
export function confirmed({ title, body, yes, danger = false }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    openDialog({
      title,
      onClose: () => resolve(answer),
      body: (close) => {
        const agree = () => {
          answer = true;
          close();
        };
        return html`${body}
          <footer class="actions">
            <button type="button" onClick=${close} autofocus=${danger}>Keep as it is</button>
            <button type="button" class=${danger ? 'danger' : 'primary'} onClick=${agree} autofocus=${!danger}>${yes}</button>
          </footer>`;
      },
    });
  });
}

/** Where dialogs are drawn. */
export function Dialogs() {
  return html`${opened.value.map((one) => html`<${Dialog} key=${one.id} ...${one} />`)}`;
}

function close(id: number): void {
  const found = opened.value.find((one) => one.id === id);
  opened.value = opened.value.filter((one) => one.id !== id);
  found?.onClose?.();
}

function Dialog({ id, title, body, wide }: Opened & { id: number }) {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key, not before the next frame: a quick Enter must meet the dialog, and never once more the button that opened it.
  useLayoutEffect(() => {
    const dialog = element.current;
    // Who opened it gets the focus back, as the browser does it when a dialog closes that is still there.
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const closeThis = () => close(id);
  const onCancel = (event: Event) => {
    event.preventDefault();
    closeThis();
  };
  return html`<dialog ref=${element} class=${wide ? 'wide' : ''} aria-labelledby="dialog-${id}" onCancel=${onCancel}>
    <header>
      <h2 id="dialog-${id}">${title}</h2>
      <button type="button" class="quiet" aria-label="Close" onClick=${closeThis}>${'\u00d7'}</button>
    </header>
    ${body(closeThis)}
  </dialog>`;
}
