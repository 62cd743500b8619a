// The token is kept as the console keeps it: for this tab alone.
const TOKEN = 'gateway-token';
const LANGUAGE = 'gateway-docs-language';
const root = document.documentElement;

// Samples stand in one language at a time, the same for all.
function show(language) {
  root.dataset.language = language;
  for (const button of document.querySelectorAll('[data-show]')) button.setAttribute('aria-pressed', String(button.dataset.show === language));
  for (const sample of document.querySelectorAll('[data-sample]')) sample.hidden = sample.dataset.sample !== language;
}
show(localStorage.getItem(LANGUAGE) ?? 'Shell');

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button');
  if (button?.dataset.show) {
    const top = button.getBoundingClientRect().top;
    localStorage.setItem(LANGUAGE, button.dataset.show);
    show(button.dataset.show);
    scrollBy(0, button.getBoundingClientRect().top - top);
  }
  if (button?.matches('.copy')) await copy(button);
});

async function copy(button) {
  const sample = button.closest('.samples').querySelector('pre:not([hidden])');
  try {
    await navigator.clipboard.writeText(sample.textContent);
    button.textContent = 'Copied';
  } catch {
    // No clipboard on plain http from another machine: marked, a key copies it.
    getSelection().selectAllChildren(sample);
    button.textContent = 'Marked';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}

// The list beside the text: closed on a narrow screen, filtered by what is written.
const contents = document.querySelector('.contents');
const wide = matchMedia('(min-width: 60rem)');
const fold = () => (contents.open = wide.matches);
wide.addEventListener('change', fold);
fold();
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && !wide.matches) contents.open = false;
});
document.getElementById('find').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/);
  let left = 0;
  for (const item of document.querySelectorAll('[data-find]')) {
    item.hidden = !words.every((word) => item.dataset.find.includes(word));
    left += item.hidden ? 0 : 1;
  }
  for (const group of document.querySelectorAll('.found')) group.hidden = !group.querySelector('[data-find]:not([hidden])');
  document.querySelector('.none').textContent = left === 0 ? 'No operation has these words.' : '';
});

// Which money this is stands in the bar of every page.
const mode = document.querySelector('.mode');
const asked = fetch('/')
  .then((answer) => answer.json())
  .then((status) => status.mode, () => 'unknown');
asked.then((word) => {
  root.dataset.mode = word;
  mode.textContent = { live: 'LIVE: real orders', practice: 'PRACTICE: no real money' }[word] ?? '';
});

const tokenForm = document.querySelector('form.token');
const tokenField = document.getElementById('token');
tokenField.value = sessionStorage.getItem(TOKEN) ?? '';
tokenForm.addEventListener('submit', (event) => {
  event.preventDefault();
  keepToken();
});
const keepToken = () => sessionStorage.setItem(TOKEN, tokenField.value.trim());
tokenField.addEventListener('change', keepToken);

const running = new Map();
document.addEventListener('submit', async (event) => {
  const form = event.target.closest('.try form');
  if (!form) return;
  event.preventDefault();
  if (running.has(form)) return;
  const ended = new AbortController();
  running.set(form, ended);
  mark(form, true);
  try {
    if (await mayLeave(form)) await send(form, ended.signal);
  } finally {
    running.delete(form);
    mark(form, false);
  }
});
document.addEventListener('click', (event) => {
  const stop = event.target.closest('button.stop');
  if (stop) running.get(stop.form)?.abort();
});

function mark(form, busy) {
  form.setAttribute('aria-busy', String(busy));
  const stop = form.querySelector('.stop');
  if (stop) stop.disabled = !busy;
}

// Where it is real money, every operation that changes something is asked once more.
async function mayLeave({ dataset }) {
  if (dataset.method === 'GET' || (await asked) === 'practice') return true;
  const dialog = document.querySelector('dialog.ask');
  dialog.querySelector('p').textContent = `${dataset.method} ${dataset.path} goes to the broker's real account.`;
  dialog.returnValue = 'no';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  return dialog.returnValue === 'yes';
}

async function send(form, signal) {
  const outcome = form.querySelector('.outcome');
  const shown = form.querySelector('.answer');
  outcome.textContent = 'Asking\u2026';
  const start = performance.now();
  try {
    const answer = await fetch(addressOf(form), { method: form.dataset.method, headers: headersOf(form), body: bodyOf(form), signal, redirect: 'error' });
    const told = [...answer.headers].filter(([name]) => /^(idempotency|order-resolved|retry-after)/.test(name));
    outcome.textContent = [`${answer.status} ${answer.statusText}`, `${Math.round(performance.now() - start)} ms`, ...told.map((pair) => pair.join(': '))].join(', ');
    shown.hidden = false;
    shown.textContent = '';
    if (answer.ok && 'streams' in form.dataset) await follow(answer, shown);
    else shown.textContent = readable(await answer.text());
  } catch (error) {
    outcome.textContent = signal.aborted ? 'Stopped.' : `No answer: ${error.message}. What was sent may have arrived: look before you send it again.`;
  }
}

// The newest hundred lines of a stream.
async function follow(answer, shown) {
  let lines = [];
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    lines = [...lines, part].slice(-100);
    shown.textContent = lines.join('');
    shown.scrollTop = shown.scrollHeight;
  }
}

function addressOf(form) {
  const fields = [...form.querySelectorAll('[data-in]')];
  let path = form.dataset.path;
  for (const { name, value } of fields.filter((field) => field.dataset.in === 'path')) path = path.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(fields.filter((field) => field.dataset.in === 'query' && field.value !== '').map(({ name, value }) => [name, value]));
  return query.size > 0 ? `${path}?${query}` : path;
}

function headersOf(form) {
  keepToken();
  const heads = [...form.querySelectorAll('[data-in="header"]')].filter(({ value }) => value !== '').map(({ name, value }) => [name, value]);
  const token = sessionStorage.getItem(TOKEN);
  return { ...(token && { Authorization: `Bearer ${token}` }), ...(bodyField(form) && { 'Content-Type': 'application/json' }), ...Object.fromEntries(heads) };
}

const bodyField = (form) => form.querySelector('[data-body]');

// Without a key the order itself would be one for a minute: a second try of the example would be answered by the first.
function bodyOf(form) {
  const field = bodyField(form);
  if (!field) return undefined;
  const asksOnly = form.querySelector('[name="Idempotency-Replay-Only"]')?.value;
  if (!/\/broker\/(orders\/place|exits)$/.test(form.dataset.path) || asksOnly) return field.value;
  try {
    const body = JSON.parse(field.value);
    return JSON.stringify({ ...body, idempotency_key: body.idempotency_key ?? `docs-${freshKey()}` });
  } catch {
    // The gateway says what is wrong with it.
    return field.value;
  }
}

// crypto.randomUUID is missing on plain http from another machine.
function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
