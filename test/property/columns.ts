// Columns with the rows that break things: what the database stores, and what the engine answers for it.
import type { ScalarDefinition } from '../../src/schema/definition.ts'
import { arrayColumns, jsonColumns } from './json-columns.ts'
import { numberColumns } from './number-columns.ts'
import { temporalColumns } from './temporal-columns.ts'
import { textColumns } from './text-columns.ts'

/** What stands in the database, and the value in an item. */
export type Cell = readonly [stored: unknown, answered: unknown]

/** How one database holds the column. */
export interface Home {
  /** The column's declaration, without its name. */
  readonly declared: string
  readonly cells: readonly Cell[]
}

export interface Column {
  readonly name: string
  readonly field: ScalarDefinition
  readonly homes: { readonly [Name in 'sqlite' | 'postgres']?: Home }
  /** What it is compared with; what cannot be of the type is here too, and has to be refused by all alike. */
  readonly operands: readonly unknown[]
  /** What its conditions stand under, besides its own name: functions, paths. */
  readonly functions?: readonly string[]
  readonly paths?: readonly string[]
}

const bytes = (text: string) => Buffer.from(text, 'hex')
const binaries: readonly Cell[] = ['', '00', 'ff', '00ff', '48656c6c6f', 'fffefd'].map((hex) => [
  bytes(hex),
  bytes(hex).toString('base64'),
])

const uuids = [
  '00000000-0000-4000-8000-000000000001',
  'abcdefab-cdef-4abc-8def-abcdefabcdef',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
]
const plainUuids: readonly Cell[] = uuids.map((uuid) => [uuid, uuid])
const anyCaseUuids: readonly Cell[] = [
  ...plainUuids,
  ...uuids.map((uuid): Cell => [uuid.toUpperCase(), uuid]),
]
const uuidOperands = [
  ...uuids,
  ...uuids.map((uuid) => uuid.toUpperCase()),
  '00000000-0000-4000-8000-000000000009',
  'abc',
  '',
  5,
  true,
  null,
]

const concealed: readonly Cell[] = [['$argon2id$v=19$x', '**********']]
const places: readonly Cell[] = [
  ['{"type":"Point","coordinates":[1,2]}', { type: 'Point', coordinates: [1, 2] }],
]

const otherColumns: readonly Column[] = [
  {
    name: 'flag',
    field: { type: 'boolean', nullable: true },
    homes: {
      sqlite: {
        declared: 'boolean',
        cells: [
          [1, true],
          [0, false],
          [1000, true],
          [-3, true],
          [0.5, true],
        ],
      },
      postgres: {
        declared: 'boolean',
        cells: [
          [true, true],
          [false, false],
        ],
      },
    },
    operands: [true, false, 'true', 'false', 1, 0, '1', '0', 'null', null, 2, 'yes', ''],
  },
  {
    name: 'token',
    field: { type: 'uuid', nullable: true },
    homes: {
      sqlite: { declared: 'text', cells: anyCaseUuids },
      postgres: { declared: 'uuid', cells: plainUuids },
    },
    operands: uuidOperands,
  },
  {
    name: 'token_text',
    field: { type: 'uuid', nullable: true, storage: 'text' },
    homes: {
      sqlite: { declared: 'text', cells: anyCaseUuids },
      postgres: { declared: 'text', cells: anyCaseUuids },
    },
    operands: uuidOperands,
  },
  {
    name: 'bytes',
    field: { type: 'binary', nullable: true },
    homes: {
      sqlite: { declared: 'blob', cells: binaries },
      postgres: { declared: 'bytea', cells: binaries },
    },
    operands: [
      '',
      'AA==',
      'AA',
      '/w==',
      'SGVsbG8=',
      '//79',
      new Uint8Array([255]),
      Buffer.from('Hello'),
      '%',
      5,
      null,
    ],
  },
  {
    name: 'secret',
    field: { type: 'hash', nullable: true },
    homes: {
      sqlite: { declared: 'text', cells: concealed },
      postgres: { declared: 'text', cells: concealed },
    },
    operands: ['x', '**********', null],
  },
  {
    name: 'hidden',
    field: { type: 'string', nullable: true, conceal: true },
    homes: {
      sqlite: { declared: 'text', cells: concealed },
      postgres: { declared: 'text', cells: concealed },
    },
    operands: ['x', '**********', null],
  },
  {
    name: 'place',
    field: { type: 'geometry', nullable: true },
    homes: { sqlite: { declared: 'text', cells: places }, postgres: { declared: 'text', cells: places } },
    operands: [null, 'x', 5],
  },
]

export const columns: readonly Column[] = [
  ...textColumns,
  ...numberColumns,
  ...temporalColumns,
  ...jsonColumns,
  ...arrayColumns,
  ...otherColumns,
]
