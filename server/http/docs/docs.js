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
});
