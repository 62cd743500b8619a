import ts from 'typescript';
import { fileRule, isProduct, isRebuilt, type Rule, type Source } from './source.ts';

const FUNCTION_LINES = 60;
const PRODUCT_LINES = 300;
const FILE_LINES = 400;

/**
 * Functions of the product and their lines, counted from the first to the last with all that stands inside, functions included. Tables, texts and
 * classes are no functions, and tests are not counted: a suite is a list of cases.
 */
function functionsOf({ path, text }: Source): { name: string; lines: number }[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const found: { name: string; lines: number }[] = [];
  function visit(node: ts.Node): void {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      found.push({ name: nameOf(node), lines: lineAt(node.end) - lineAt(node.getStart(file)) + 1 });
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : 'a function without a name';
}

function longFunctions(file: Source): string[] {
  if (!isProduct(file.path) || !/\.(ts|js)$/.test(file.path) || isRebuilt(file.path)) return [];
  const long = functionsOf(file).filter(({ lines }) => lines > FUNCTION_LINES);
  return long.map(({ name, lines }) => `${name} has ${lines} lines`);
}

function longFile({ path, text }: Source): string[] {
  const lines = text.split('\n').length - 1;
  const limit = isProduct(path) && !isRebuilt(path) ? PRODUCT_LINES : FILE_LINES;
  return lines > limit ? [`${lines} lines`] : [];
}

const body = (lines: number) => 'call();\n'.repeat(lines);

export const sizeRules: readonly Rule[] = [
  fileRule(`no function of the product over ${FUNCTION_LINES} lines`, longFunctions, [
    { path: 'server/orders/a.ts', text: `export function a(): void {\n${body(FUNCTION_LINES - 1)}}` },
    { path: 'sdk/a.ts', text: `const a = async <T>(of: T) => {\n${body(FUNCTION_LINES - 1)}};` },
    { path: 'contract/a.ts', text: `class A {\n  get a() {\n${body(FUNCTION_LINES - 1)}}\n}` },
    { path: 'bench/a.ts', text: `export function make() {\n  return { a() {\n${body(FUNCTION_LINES - 1)}} };\n}` },
    { path: 'server/http/docs/a.js', text: `call(function () {\n${body(FUNCTION_LINES - 1)}});` },
  ]),
  fileRule(`no file of the product over ${PRODUCT_LINES} lines, no other over ${FILE_LINES}`, longFile, [
    { path: 'server/orders/a.ts', text: body(PRODUCT_LINES + 1) },
    { path: 'test/a.ts', text: body(FILE_LINES + 1) },
  ]),
];
