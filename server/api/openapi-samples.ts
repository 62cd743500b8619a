import { sdkCalls } from './sdk-calls.ts';

/** What a sample is made of: an operation with the contract's own examples filled in. */
export interface SampleOf {
  operationId: string;
  method: 'GET' | 'POST';
  /** With its path parameters filled in, and the query that it needs. */
  target: string;
  /** null where it takes none. */
  body: Readonly<Record<string, unknown>> | null;
  /** Takes an idempotency_key: each run of a sample is an order, or an exit, of its own. */
  keyed: boolean;
  /** Answers with a stream of events and not with one JSON body. */
  streams: boolean;
  /** Needs no user. */
  open: boolean;
}

export interface Sample {
  lang: 'Shell' | 'TypeScript' | 'Python';
  label: string;
  source: string;
}

/** The operation in curl, in TypeScript and in Python: whole programs that read GATEWAY_URL and GATEWAY_TOKEN of their environment. */
export function samplesOf(operation: SampleOf): Sample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(operation) },
    { lang: 'Python', label: 'Python', source: python(operation) },
  ];
}

const KEY = 'idempotency_key';
const base = 'http://127.0.0.1:5000';

function curl({ method, target, body, keyed, streams, open }: SampleOf): string {
  const lines = [
    `curl -sS${streams ? 'N' : ''}${method === 'POST' ? ' -X POST' : ''} "\${GATEWAY_URL:-${base}}${target}"`,
    ...(open ? [] : ['-H "Authorization: Bearer $GATEWAY_TOKEN"']),
    ...(body ? ["-H 'Content-Type: application/json'", '--data @- <<END'] : []),
  ].join(' \\\n  ');
  if (!body) return lines;
  return `${lines}\n${JSON.stringify(keyed ? { ...body, [KEY]: 'curl-$(date +%s)-$$' } : body, null, 2)}\nEND`;
}

function typescript(operation: SampleOf): string {
  const call = sdkCalls[operation.operationId];
  return call ? withSdk(call(literal(operation.body ?? {}))) : withFetch(operation);
}

function withSdk(call: string): string {
  return [
    "import { createGateway } from 'broker-gateway-sdk';",
    '',
    'const gateway = createGateway({',
    `  baseUrl: process.env.GATEWAY_URL ?? '${base}',`,
    "  token: process.env.GATEWAY_TOKEN ?? '',",
    '});',
    call,
  ].join('\n');
}

function withFetch({ method, target, body, keyed, open }: SampleOf): string {
  const given = body && literal(keyed ? { ...body, [KEY]: raw('crypto.randomUUID()') } : body, '  ');
  const headers = [
    ...(open ? [] : [`Authorization: \`Bearer \${process.env.GATEWAY_TOKEN}\``]),
    ...(body ? ["'Content-Type': 'application/json'"] : []),
  ];
  const options = [
    ...(method === 'POST' ? ["  method: 'POST',"] : []),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(given ? [`  body: JSON.stringify(${given}),`] : []),
  ];
  return [
    `const base = process.env.GATEWAY_URL ?? '${base}';`,
    `const answer = await fetch(\`\${base}${target}\`${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''});`,
    'console.log(await answer.json());',
  ].join('\n');
}

function python({ method, target, body, keyed, streams, open }: SampleOf): string {
  const given = body && pythonic(keyed ? { ...body, [KEY]: raw('str(uuid.uuid4())') } : body);
  const headers = [
    ...(open ? [] : ['"Authorization": "Bearer " + os.environ["GATEWAY_TOKEN"]']),
    ...(body ? ['"Content-Type": "application/json"'] : []),
  ];
  const read = streams
    ? ['    for line in stream:', '        print(line.decode().rstrip())', '        if line.startswith(b"data:"):', '            break']
    : ['    print(json.load(answer))'];
  return [
    ...(streams ? [] : ['import json']),
    'import os',
    'import urllib.request',
    ...(keyed ? ['import uuid'] : []),
    '',
    'request = urllib.request.Request(',
    `    os.environ.get("GATEWAY_URL", "${base}") + "${target}",`,
    `    method="${method}",`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(given ? [`    data=json.dumps(${given}).encode(),`] : []),
    ')',
    `with urllib.request.urlopen(request) as ${streams ? 'stream' : 'answer'}:`,
    ...read,
  ].join('\n');
}

/** Code among values. */
const mark = '\u0000';
const raw = (code: string) => `${mark}${code}${mark}`;
const unquoted = (text: string) => text.replace(/"\\u0000(.*?)\\u0000"/g, '$1');

/** A value as TypeScript writes it. */
function literal(value: unknown, indent = ''): string {
  return unquoted(JSON.stringify(value, null, 2))
    .replace(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replace(/"([^"'\\]*)"/g, "'$1'")
    .replace(/([^{[,])\n(\s*[}\]])/g, '$1,\n$2')
    .replaceAll('\n', `\n${indent}`);
}

/** A value as Python writes it. */
function pythonic(value: unknown): string {
  return unquoted(JSON.stringify(value, null, 4))
    .replace(/: (true|false|null)\b/g, (_, word: string) => `: ${{ true: 'True', false: 'False', null: 'None' }[word]}`)
    .replaceAll('\n', '\n    ');
}
