import { useState } from 'preact/hooks';
import type { RecordedOrder } from '../../../../contract/records.ts';
import { html } from './html.ts';
import { confirmed, openDialog } from './parts/dialog.ts';
import { Field } from './parts/parts.ts';
import { say } from './parts/toast.ts';
import { NoAnswer, post, sentence } from './state/api.ts';
import { nameOf, price, quantity } from './state/format.ts';
import { orders, positions } from './state/gateway.ts';

/** Whether an order may still trade, and so be changed. */
export function changeable({ status, order_id }: RecordedOrder): boolean {
  return order_id !== null && (status === 'PLACED' || status === 'PARTIALLY_FILLED');
}

function titleOf(row: RecordedOrder): string {
  return `${row.transaction_type} ${quantity(row.quantity)} ${nameOf(row)}`;
}

/** Cancels an order after a question. */
export async function askCancel(row: RecordedOrder): Promise<void> {
  const left = row.quantity === null ? null : row.quantity - row.filled_quantity;
  const body = html`<dl class="ledger">
    <dt>Order</dt><dd>${titleOf(row)}</dd>
    <dt>Type</dt><dd>${row.order_type} ${row.price ? `at ${price(row.price)}` : ''} ${row.trigger_price ? `trigger ${price(row.trigger_price)}` : ''}</dd>
    <dt>Cancels</dt><dd>${quantity(left)} not filled</dd>
  </dl>`;
  if (await confirmed({ title: 'Cancel this order?', body, yes: 'Cancel the order', danger: true }))
    await change('/broker/orders/cancel', { order_id: row.order_id }, `The cancel of ${titleOf(row)} was taken.`);
}

/** Modify and cancel go out once and are never repeated: where no answer came, the order tells what became of it. */
async function change(path: string, body: object, done: string): Promise<void> {
  try {
    await post(path, body);
    say('good', done);
  } catch (error) {
    say('bad', error instanceof NoAnswer ? `${sentence(error)}. It may have been done: look at the order.` : sentence(error));
  }
  await orders.refresh();
  await positions.refresh();
}

/** Changes quantity, price or trigger of an order that rests. */
export function askModify(row: RecordedOrder): void {
  openDialog({ title: `Modify ${titleOf(row)}`, body: (close) => html`<${Modify} row=${row} close=${close} />` });
}

interface Fields {
  quantity: string;
  price: string;
  trigger_price: string;
}

function Modify({ row, close }: { row: RecordedOrder; close: () => void }) {
  const before: Fields = {
    quantity: String(row.quantity ?? ''),
    price: String(row.price ?? ''),
    trigger_price: String(row.trigger_price ?? ''),
  };
  const [given, setGiven] = useState(before);
  const [sent, setSent] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const names = (Object.keys(before) as (keyof Fields)[]).filter((name) => name === 'quantity' || Number(before[name]) > 0);
  function submit(event: Event): void {
    event.preventDefault();
    if (sent) return;
    const changed = names.filter((name) => Number(given[name]) !== Number(before[name]));
    const odd = changed.some((name) => !(Number(given[name]) > 0));
    setFault(odd ? 'A quantity or price is a number above 0.' : changed.length === 0 ? 'Nothing is changed yet.' : null);
    if (odd || changed.length === 0) return;
    setSent(true);
    close();
    const members = Object.fromEntries(changed.map((name) => [name, Number(given[name])]));
    void change('/broker/orders/modify', { order_id: row.order_id, ...members }, `The change of ${titleOf(row)} was taken.`);
  }
  const input = (name: keyof Fields, label: string, first: boolean) => html`<${Field} id="modify-${name}" label=${label}>
    <input id="modify-${name}" type="text" inputmode="decimal" value=${given[name]} autofocus=${first}
      onInput=${(event: InputEvent) => setGiven({ ...given, [name]: (event.target as HTMLInputElement).value.trim() })} />
  <//>`;
  const labels: Fields = { quantity: 'Quantity', price: 'Limit price', trigger_price: 'Trigger price' };
  return html`<form class="stack" onSubmit=${submit}>
    ${names.map((name, index) => input(name, labels[name], index === 0))}
    ${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
    <footer class="actions">
      <button type="button" onClick=${close}>Keep as it is</button>
      <button type="submit" class="primary">Modify the order</button>
    </footer>
  </form>`;
}
