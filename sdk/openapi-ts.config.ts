import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: 'openapi.json',
  output: {
    path: 'sdk/generated',
    module: { extension: '.ts' },
    // The bundled client is not written for exactOptionalPropertyTypes; its types reach us checked, its bodies are not ours to check.
    header: ['// Generated from openapi.json by @hey-api/openapi-ts. Do not edit.', '// @ts-nocheck'],
  },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
});
