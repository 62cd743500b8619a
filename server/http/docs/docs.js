// swagger-ui's own stylesheet turns dark by a class on the root element.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#operations',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: withFreshKey,
});

// Without a key the order itself would be one for a minute: a second try of the example would be answered by the first.
function withFreshKey(request) {
  if (!/\/broker\/orders\/place$/.test(request.url) || request.headers?.['Idempotency-Replay-Only']) return request;
  try {
    const order = JSON.parse(request.body);
    order.idempotency_key ??= `docs-${freshKey()}`;
    request.body = JSON.stringify(order, null, 2);
  } catch {
    // The gateway says what is wrong with it.
  }
  return request;
}

// crypto.randomUUID is missing on plain http from another machine.
function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
