// Items with a value in every field that needs one.

import type { CatalogueTable } from '../../src/introspect.ts'
import type { StoredField } from '../../src/schema/model.ts'
import { type Collection, isStored, partsOf } from '../../src/schema/model.ts'
import type { Family } from '../../src/types/families.ts'

/** The numbers of which values are made: of those that lead to other items, and of all others. */
export interface Numbers {
  readonly links: number
  readonly own: number
  /** True for values in all fields, also those that the database fills in. */
  readonly isWhole?: boolean
}

/** Returns a payload for a collection. Other numbers make other values, where these must differ. */
export function sampleItem(
  collection: Collection,
  table: CatalogueTable,
  { links, own, isWhole = false }: Numbers,
): Readonly<Record<string, unknown>> {
  const item: Record<string, unknown> = {}
  const leading = new Set(
    [...collection.fields.values()].flatMap((field) => (field.kind === 'm2o' ? partsOf(field) : [])),
  )
  for (const field of collection.fields.values()) {
    if (!isStored(field) || !(isWhole ? isWritable(field) : isNeeded(field))) continue
    const column = table.columns.find(({ name }) => name === field.column)
    item[field.name] = sampleValue(field, column?.type ?? '', leading.has(field) ? links : own)
  }
  return item
}

const isWritable = (field: StoredField): boolean =>
  !(field.kind === 'scalar' && field.isGenerated) && !field.isReadonly

const isNeeded = (field: StoredField): boolean => {
  if (!isWritable(field)) return false
  // A counter may stand behind rows that came with the tables.
  if (field.isKey || field.isUnique) return true
  if (field.isDefaulted || field.default !== undefined) return false
  return !field.isNullable
}

function sampleValue(field: StoredField, type: string, number: number): unknown {
  const { value } = field
  if (value.isArray) return []
  const [first] = value.values ?? []
  if (first !== undefined) return first
  const known = byColumn[type.toLowerCase()]
  if (known !== undefined && ['text', 'other', 'opaque'].includes(value.family)) return known
  return byFamily[value.family](number, value.length ?? 20)
}

/** Texts that columns of these types take. */
const byColumn: Readonly<Record<string, string>> = {
  inet: '127.0.0.1',
  cidr: '10.0.0.0/8',
  macaddr: '08:00:2b:01:02:03',
  interval: '1 day',
  xml: '<a/>',
  money: '1',
  int4range: '[1,2)',
  tstzrange: '[2024-01-01,2024-01-02)',
  point: '(1,2)',
  bit: '1',
}

const byFamily: Readonly<Record<Family, (number: number, length: number) => unknown>> = {
  integer: (number) => number,
  float: (number) => number,
  decimal: (number) => String(number),
  text: (number, length) => String(number).slice(0, Math.max(length, 1)),
  uuid: (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  boolean: () => true,
  date: () => '2024-05-01',
  time: () => '10:00:00',
  dateTime: () => '2024-05-01T10:00:00',
  timestamp: () => '2024-05-01T10:00:00.000Z',
  json: () => ({}),
  csv: () => ['a'],
  hash: () => 'secret',
  binary: (number) => Buffer.alloc(20, number),
  tuple: () => undefined,
  other: String,
  opaque: String,
  geometry: () => ({ type: 'Point', coordinates: [1, 2] }),
}
