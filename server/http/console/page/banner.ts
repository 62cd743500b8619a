import { useEffect, useState } from 'preact/hooks';
import { html } from './html.ts';
import { ticking } from './state/clock.ts';
import { span } from './state/format.ts';
import { heardAt, link, online, reconnect } from './state/stream.ts';

/** A short gap is closed before anybody has read of it. */
const PATIENCE_MS = 400;

/** Says that what stands below is old, since when, and that the page comes back by itself. */
export function LinkBanner() {
  const away = link.value === 'away';
  const [said, setSaid] = useState(false);
  useEffect(() => {
    setSaid(false);
    if (!away) return;
    const timer = setTimeout(() => setSaid(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [away]);
  return html`<div class="banner-place" role="status">
    ${
      away &&
      said &&
      html`<div class="banner away">
        <b>${online.value ? 'The gateway cannot be reached.' : 'This device has no network.'}</b>
        <span>Figures below are as of <${Since} /> ago. Orders at the broker live on. The page comes back by itself.</span>
        <button type="button" onClick=${reconnect}>Try now</button>
      </div>`
    }
  </div>`;
}

function Since() {
  ticking();
  return html`<span aria-hidden="true">${span(Date.now() - heardAt.value)}</span>`;
}
