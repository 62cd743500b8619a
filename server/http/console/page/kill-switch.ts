import { html } from './html.ts';
import { confirmed } from './parts/dialog.ts';
import { say } from './parts/toast.ts';
import { post, sentence } from './state/api.ts';
import { clockTime } from './state/format.ts';
import { killSwitch } from './state/gateway.ts';
import { useResource } from './state/resource.ts';

/** Stops everything that grows a position: turned on without a question, released after one. */
export function KillSwitch() {
  const state = useResource(killSwitch).value.value;
  const on = state?.on === true;
  const told = on ? `On since ${clockTime(state?.since)}${state?.by ? ` by ${state.by}` : ''}` : 'Stops every order that grows a position';
  return html`<button type="button" class="kill ${on ? 'on' : ''}" aria-pressed=${on} title=${told} onClick=${() => turn(on)}>
    <span aria-hidden="true" class="mark"></span>${on ? 'Kill switch is ON' : 'Kill switch'}
  </button>`;
}

/** Where it is not known how it stands, it is turned on. */
async function turn(on: boolean): Promise<void> {
  if (on && !(await released())) return;
  try {
    await post('/broker/kill-switch', { on: !on });
    say('good', on ? 'The kill switch is released. Entries may leave again.' : 'The kill switch is on. Only exits and cancels leave.');
  } catch (error) {
    say('bad', `${sentence(error)}. The head bar shows where the kill switch stands.`);
  }
  await killSwitch.refresh();
}

function released(): Promise<boolean> {
  return confirmed({
    title: 'Release the kill switch?',
    body: html`<p>Orders that open or grow positions may leave again, those of strategies too.</p>`,
    yes: 'Release it',
    danger: true,
  });
}
