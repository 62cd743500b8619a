/** What the console's page imports by name, and where a browser finds it. A file of node_modules each, served as it is but for the names in its imports. */
export const libraries = {
  preact: { path: '/console/lib/preact.js', file: 'preact' },
  'preact/hooks': { path: '/console/lib/hooks.js', file: 'preact/hooks' },
  '@preact/signals-core': { path: '/console/lib/signals-core.js', file: '@preact/signals-core' },
  '@preact/signals': { path: '/console/lib/signals.js', file: '@preact/signals' },
  uplot: { path: '/console/lib/uplot.js', file: 'uplot/dist/uPlot.esm.js' },
  'uplot/dist/uPlot.min.css': { path: '/console/lib/uplot.css', file: 'uplot/dist/uPlot.min.css' },
  htm: { path: '/console/lib/htm.js', file: 'htm' },
} as const satisfies Readonly<Record<string, { path: `/console/lib/${string}`; file: string }>>;

/** Where all of the page's own stylesheets stand in one. */
export const STYLE = '/console/page/style.css';

const name = Object.keys(libraries).join('|');
const imported = new RegExp(`(\\bfrom\\s*|\\bimport\\s*\\(?\\s*)(['"])(${name})\\2`, 'g');

/** A module's text with the addresses of libraries where it names them. */
export function withAddresses(text: string): string {
  return text.replace(
    imported,
    (_, before: string, quote: string, of: keyof typeof libraries) => `${before}${quote}${libraries[of].path}${quote}`,
  );
}
