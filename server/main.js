// This file and the one it imports are JavaScript, because Node takes types out of a file with a compiler of its own, in WebAssembly, which then stays in
// memory (18 MB) for the life of the process. With the compile cache on before the first TypeScript file, a second start does not load it.
import './fast-imports.js';

// Not a static import: it would be loaded before the line above runs.
const { start } = await import('./start.ts');
await start();
