import { writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';

/** `node server/api/generate.ts [file]`: writes the OpenAPI document, openapi.json of the repository unless told otherwise. */
const file = process.argv[2] ?? new URL('../../openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
