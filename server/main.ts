import './fast-imports.ts';

// Not a static import: it would be loaded before the line above runs.
const { start } = await import('./start.ts');
await start();
