import { useState } from 'preact/hooks';
import type { UserAdded, UserList } from '../../../../../contract/users.ts';
import { html } from '../html.ts';
import { confirmed, openDialog } from '../parts/dialog.ts';
import { Field, Loaded, Notice, Pill, ViewHead } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { say } from '../parts/toast.ts';
import { get, post, sentence } from '../state/api.ts';
import { gatewayNow } from '../state/clock.ts';
import { shortTime } from '../state/format.ts';
import { Resource, useResource } from '../state/resource.ts';

type UserRow = UserList['users'][number];
const users = new Resource<UserList>(() => get<UserList>('/broker/users'), { everyMs: 15_000 });

/** Who may use the gateway: each with a token of its own, shown once. */
export function View() {
  const list = useResource(users);
  return html`<${ViewHead} title="Users" actions=${html`<button type="button" class="primary" onClick=${add}>Add a user</button>`} />
    <p class="lead">Every user has an API token and may do everything. Give each strategy and each person one of their own: it can be revoked alone.</p>
    <${Loaded} of=${list} show=${({ users: rows }: UserList) => html`<${Table} label="Users" columns=${columns} rows=${rows} keyOf=${({ name }: UserRow) => name} />`} />`;
}

const columns: readonly Column<UserRow>[] = [
  { id: 'name', title: 'Name', card: 'head', cell: ({ name, you }) => html`<b>${name}</b>${you && html` <${Pill} tone="info">you<//>`}` },
  {
    id: 'state',
    title: 'Token',
    cell: ({ revoked_at }) => (revoked_at ? html`<${Pill} tone="quiet">revoked<//>` : html`<${Pill} tone="good">valid<//>`),
  },
  { id: 'made', title: 'Made', cell: ({ created_at }) => shortTime(created_at, gatewayNow()) },
  { id: 'ended', title: 'Revoked', cell: ({ revoked_at }) => shortTime(revoked_at, gatewayNow()) },
  {
    id: 'do',
    title: '',
    card: 'foot',
    cell: (row) =>
      row.revoked_at
        ? html`<button type="button" class="small" onClick=${() => renew(row)}>New token<span class="sr"> for ${row.name}</span></button>`
        : html`<button type="button" class="small danger" onClick=${() => revoke(row)}>Revoke<span class="sr"> ${row.name}</span></button>`,
  },
];

function add(): void {
  openDialog({ title: 'Add a user', body: (close) => html`<${NewUser} close=${close} />` });
}

function NewUser({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (asking) return;
    setAsking(true);
    const made = await makeToken(name.trim(), setFault);
    setAsking(false);
    if (made) close();
  }
  return html`<form class="stack" onSubmit=${submit}>
    <${Field} id="user-name" label="Name" fault=${fault} hint="1 to 64 of a-z, 0-9, dot, underscore and dash.">
      <input id="user-name" value=${name} required maxlength="64" autocomplete="off" autocapitalize="off" spellcheck=${false} autofocus
        aria-describedby="user-name-hint" aria-invalid=${fault !== null}
        onInput=${(event: InputEvent) => setName((event.target as HTMLInputElement).value)} />
    <//>
    <footer class="actions">
      <button type="button" onClick=${close}>Keep as it is</button>
      <button type="submit" class="primary" aria-disabled=${asking}>${asking ? 'Making\u2026' : 'Make a token'}</button>
    </footer>
  </form>`;
}

async function renew({ name }: UserRow): Promise<void> {
  await makeToken(name, (fault) => say('bad', fault));
}

/** Makes a user's token and shows it, once. */
async function makeToken(name: string, tell: (fault: string) => void): Promise<boolean> {
  try {
    const made = await post<UserAdded>('/broker/users', { name });
    void users.refresh();
    openDialog({ title: `The token of ${made.name}`, body: (close) => html`<${Shown} token=${made.token} close=${close} />` });
    return true;
  } catch (error) {
    tell(sentence(error));
    return false;
  }
}

function Shown({ token, close }: { token: string; close: () => void }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(token);
      setCopied(true);
    } catch {
      // No clipboard on plain http from another machine: marked, a key copies it.
      document.querySelector<HTMLInputElement>('#new-token')?.select();
      say('info', 'This browser gives no clipboard here. The token is marked: copy it by keyboard.');
    }
  }
  return html`<div class="stack">
    <${Notice} tone="warn">This is the only time it is shown. The gateway keeps no copy.<//>
    <${Field} id="new-token" label="API token">
      <input id="new-token" class="code" readonly value=${token} onFocus=${(event: FocusEvent) => (event.target as HTMLInputElement).select()} />
    <//>
    <footer class="actions">
      <button type="button" class="primary" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button>
      <button type="button" onClick=${close}>I have it</button>
    </footer>
    <p class="sr" role="status">${copied ? 'The token is copied' : ''}</p>
  </div>`;
}

async function revoke({ name, you }: UserRow): Promise<void> {
  const agreed = await confirmed({
    title: `Revoke the token of ${name}?`,
    body: html`<p>Whatever uses it is refused from then on, and its streams end. Orders that rest at the broker live on.</p>
      ${you && html`<${Notice} tone="bad" title="This is your own token.">You are signed out by it.<//>`}`,
    yes: 'Revoke it',
    danger: true,
  });
  if (!agreed) return;
  try {
    await post('/broker/users/revoke', { name, ...(you && { confirm: true }) });
    say('good', `The token of ${name} is revoked.`);
  } catch (error) {
    say('bad', sentence(error));
  }
  await users.refresh();
}
