// JSON of every kind, and arrays, which read as JSON.
import type { Cell, Column } from './columns.ts'

const documents: readonly unknown[] = [
  ...[
    '',
    'a',
    'null',
    '0',
    'é',
    0,
    -0,
    1,
    1.5,
    -1,
    1e21,
    true,
    false,
    [],
    {},
    [null],
    [[]],
    [1, 2, 3],
    ['a', 'b'],
    [{}],
    { a: null },
  ],
  ...[
    { a: 1 },
    { a: 1.5 },
    { a: '1' },
    { a: '' },
    { a: 0 },
    { a: false },
    { a: true },
    { a: [] },
    { a: {} },
    { a: [1, 2] },
    { a: 'É' },
  ],
  ...[
    { a: 'abc', b: 2 },
    { a: { b: 1 } },
    { a: { b: 'x' } },
    { a: { b: null } },
    { a: [{ b: 1 }] },
    { a: 0.1 },
    { a: -0 },
    { a: 1e308 },
    { a: 'a%c' },
  ],
  ...[
    { a: 'null' },
    { a: 'true' },
    { a: 9_007_199_254_740_991 },
    { 'a key': 1 },
    { é: 1 },
    { 'a.b': 1 },
    { '0': 1 },
    { a: "it's" },
    { a: '\\' },
    { a: '😀' },
    { $a: 1 },
  ],
]

// Written by others: blanks, escapes, other forms of the same number.
const foreign = [
  '{"a":1.0}',
  ' { "a" : 1e0 } ',
  '{"\\u00e9":1}',
  '{"a":"\\u00c9"}',
  '{"a":10E-1}',
  '[ ]',
  ' null ',
  '{"a":-0.0}',
  '{"\\u0061":2}',
]
const jsonCells: readonly Cell[] = [...documents.map((value) => JSON.stringify(value)), ...foreign].map(
  (text): Cell => [text, JSON.parse(text)],
)
// Malformed text reads as itself, and SQLite lets it in.
const malformed: readonly Cell[] = ['{a:1}', 'abc', '{"a":1', '', "{'a':1}"].map((text) => [text, text])

const jsonOperands: readonly unknown[] = [
  ...[
    '',
    'a',
    'A',
    'abc',
    '1',
    '1.5',
    'null',
    'true',
    'é',
    'É',
    'x',
    "it's",
    '\\',
    '😀',
    'a%c',
    '%',
    0,
    -0,
    1,
    1.5,
    2,
    -1,
    0.1,
    1e308,
    9_007_199_254_740_991,
    10n,
  ],
  ...[true, false, null, '\u0000', {}],
]

const paths = [
  'a',
  'a.b',
  'a[0]',
  'a[0].b',
  '[0]',
  '[1]',
  '[0].a',
  'b',
  '["a key"]',
  '["a.b"]',
  'é',
  '["0"]',
  '["$a"]',
  '0',
  'a.b.c.d',
]

export const jsonColumns: readonly Column[] = [
  {
    name: 'meta',
    field: { type: 'json', nullable: true },
    homes: {
      sqlite: { declared: 'json', cells: [...jsonCells, ...malformed] },
      postgres: { declared: 'jsonb', cells: jsonCells },
    },
    operands: jsonOperands,
    functions: ['count'],
    paths,
  },
  {
    name: 'plain_json',
    field: { type: 'json', nullable: true },
    homes: {
      sqlite: { declared: 'text', cells: jsonCells },
      postgres: { declared: 'json', cells: jsonCells },
    },
    operands: jsonOperands.filter((_, index) => index % 3 === 0),
    functions: ['count'],
    paths: ['a', '[0]'],
  },
]

const texts: readonly (readonly (string | null)[])[] = [
  [],
  [''],
  ['a'],
  ['a', 'b'],
  ['null'],
  [null],
  ['{x}', '"q"', 'a,b', '\\'],
  ['é', 'É'],
]
const numbers: readonly (readonly (number | null)[])[] = [[], [0], [1], [1, 2, 3], [null, 1]]

const asJson = (lists: readonly (readonly unknown[])[]): readonly Cell[] =>
  lists.map((list) => [JSON.stringify(list), list])
const asArray = (lists: readonly (readonly unknown[])[]): readonly Cell[] => lists.map((list) => [list, list])

export const arrayColumns: readonly Column[] = [
  {
    name: 'words',
    field: { type: 'string', nullable: true, array: true },
    homes: {
      sqlite: { declared: 'text', cells: asJson(texts) },
      postgres: { declared: 'text[]', cells: asArray(texts) },
    },
    operands: jsonOperands,
    functions: ['count'],
    paths: ['[0]', '[1]', 'a', '["0"]'],
  },
  {
    name: 'numbers',
    field: { type: 'integer', nullable: true, array: true },
    homes: {
      sqlite: { declared: 'text', cells: asJson(numbers) },
      postgres: { declared: 'integer[]', cells: asArray(numbers) },
    },
    operands: jsonOperands,
    functions: ['count'],
    paths: ['[0]', '[2]', 'a'],
  },
]
