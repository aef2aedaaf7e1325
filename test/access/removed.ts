// A world without what a caller may not read: its rows and columns are gone, and its schema speaks of the others only. It is made by the
// decisions about access alone, and from the oracle's own reading of filters.
import type {
  AnyDefinition,
  CollectionDefinition,
  FieldDefinition,
  ManyToOneDefinition,
  OneToManyDefinition,
  ScalarDefinition,
  ThroughDefinition,
} from '../../src/schema/definition.ts'
import { formOf, keyOf, type Row, typeOf, type World } from '../oracle/dataset.ts'
import type { Reading } from './caller.ts'

/** Rows need keys, also where nobody may see these. Like no other name, so that no hint offers it. */
export const hiddenKey = 'q'.repeat(60)

type Reads = Readonly<Record<string, readonly Reading[]>>
interface Whole {
  readonly world: World
  readonly reads: Reads
}

export function removed(world: World, reads: Reads): World {
  const whole = { world, reads }
  const readable = Object.keys(world.definition).filter((name) => isReadable(whole, name))
  const definition = Object.fromEntries(readable.map((name) => [name, collectionLeft(whole, name)]))
  const rows = Object.fromEntries(readable.map((name) => [name, rowsLeft(whole, name)]))
  return { ...world, definition, rows }
}

const rulesOf = ({ reads }: Whole, collection: string) => reads[collection] ?? []
const isReadable = (whole: Whole, collection: string) => rulesOf(whole, collection).length > 0
const granting = (whole: Whole, collection: string, field: string) =>
  rulesOf(whole, collection).filter(({ fields }) => fields.includes(field))
const isGranted = (whole: Whole, collection: string, field: string) =>
  granting(whole, collection, field).length > 0

/** Whether the rules show a field on every row that they show. */
function isWhole(whole: Whole, collection: string, field: string): boolean {
  const some = granting(whole, collection, field)
  return some.length === rulesOf(whole, collection).length || some.some(({ rows }) => rows === undefined)
}

/** A collection whose key is not on every row needs another. */
const needsKey = (whole: Whole, collection: string): boolean => {
  const key = keyOf(whole.world, collection)
  return !isGranted(whole, collection, key) || !isWhole(whole, collection, key)
}

function collectionLeft(whole: Whole, name: string): CollectionDefinition {
  const { world } = whole
  const { sortField, fields, ...others } = world.definition[name] ?? { fields: {} }
  const left: Record<string, FieldDefinition> = {}
  if (needsKey(whole, name)) left[hiddenKey] = keyLeft(keyForm(world, name, keyOf(world, name)))
  for (const [field, one] of Object.entries(fields)) {
    const seen = isGranted(whole, name, field) ? fieldLeft(whole, name, field, one) : undefined
    if (seen) left[field] = seen
  }
  const isSorted = sortField !== undefined && isGranted(whole, name, sortField)
  return { ...others, ...(isSorted && { sortField }), fields: left }
}

function fieldLeft(
  whole: Whole,
  collection: string,
  name: string,
  field: FieldDefinition,
): FieldDefinition | undefined {
  if (field.type === 'o2m') return listLeft(whole, field, field.from)
  if (field.type === 'm2m' || field.type === 'm2a') return listLeft(whole, field, field.through)
  const stored = isWhole(whole, collection, name) ? field : withoutKey(field)
  if (stored.type === 'm2o') {
    return isReadable(whole, stored.to) ? stored : plain(keyForm(whole.world, collection, name), stored)
  }
  return stored.type === 'any' ? referenceLeft(whole, collection, stored) : stored
}

/** On some rows there is nothing. */
function withoutKey<Field extends FieldDefinition>(field: Field): Field {
  const { key: _, ...others }: Field & { readonly key?: boolean } = field
  // The same kind of field, with one option less.
  return { ...others, nullable: true } as unknown as Field
}

/** What points to something that cannot be read is a value like any other; nobody searches in it. */
function plain(value: KeyForm, field: ManyToOneDefinition | AnyDefinition): FieldDefinition {
  const column = field.column === undefined ? {} : { column: field.column }
  if (field.type === 'm2o' && field.key) return { ...keyLeft(value), ...column }
  return { ...unsearched(value), ...column, nullable: field.nullable ?? false }
}

type KeyForm = Pick<ScalarDefinition, 'type' | 'encoding' | 'storage'>

const keyForm = (world: World, collection: string, name: string): KeyForm => ({
  // Only types of keys come here.
  type: typeOf(world, collection, name) as KeyForm['type'],
  ...formOf(world, collection, name),
})

const keyLeft = (value: KeyForm): ScalarDefinition => ({ ...unsearched(value), key: true })

const unsearched = (value: KeyForm): ScalarDefinition => ({
  ...value,
  ...(value.type === 'string' && { searchable: false }),
})

function referenceLeft(whole: Whole, collection: string, field: AnyDefinition): FieldDefinition {
  const to = field.to.filter((name) => isReadable(whole, name))
  return to.length > 0 && isGranted(whole, collection, field.by)
    ? { ...field, to }
    : plain({ type: 'string' }, field)
}

function listLeft(
  whole: Whole,
  { sort, ...field }: OneToManyDefinition | ThroughDefinition,
  route: string,
): FieldDefinition | undefined {
  const [target = '', foreign = ''] = route.split('.')
  if (!isGranted(whole, target, foreign)) return undefined
  const sorting = sort !== undefined && isGranted(whole, target, sort) ? { sort } : {}
  if (field.type === 'o2m') return { ...field, ...sorting }
  // Without the far side, the rows between are what is left.
  return leadsOn(whole, target, field.to)
    ? { ...field, ...sorting }
    : { type: 'o2m', from: route, ...sorting }
}

function leadsOn(whole: Whole, junction: string, far: string): boolean {
  const field = whole.world.definition[junction]?.fields[far]
  if (!field || !isGranted(whole, junction, far)) return false
  if (field.type === 'm2o') return isReadable(whole, field.to)
  return field.type === 'any' && referenceLeft(whole, junction, field).type === 'any'
}

function rowsLeft(whole: Whole, collection: string): readonly Row[] {
  const { world } = whole
  const key = keyOf(world, collection)
  return (world.rows[collection] ?? []).flatMap((row) => {
    const allowing = rulesOf(whole, collection).filter(({ rows }) => rows === undefined || rows(world, row))
    if (allowing.length === 0) return []
    const cells = Object.entries(row).filter(([name]) => isGranted(whole, collection, name))
    const shown = cells.map(([name, value]) => {
      const isHere = allowing.some(({ fields }) => fields.includes(name))
      return [name, isHere ? value : null] as const
    })
    return [{ ...Object.fromEntries(shown), [hiddenKey]: row[key] }]
  })
}
