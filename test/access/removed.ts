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
import {
  fieldNames,
  formOf,
  itemAt,
  keyOf,
  type Row,
  relationOf,
  typeOf,
  type World,
} from '../oracle/dataset.ts'
import type { Reading } from './caller.ts'

/** Rows need keys, also where nobody may see these. Like no other name, so that no hint offers it. */
export const hiddenKey = 'q'.repeat(60)

/** True for names that only what is left of a world has: of keys, and of marks. */
export const isHidden = (name: string): boolean => name.startsWith(hiddenKey)

/** A column of what is left that says which rows meet the condition of a relation: the schema's condition is judged by what is stored, shown or not. */
interface Mark {
  readonly name: string
  readonly target: string
  readonly isMet: (row: Row) => boolean
}

type Reads = Readonly<Record<string, readonly Reading[]>>
interface Whole {
  readonly world: World
  readonly reads: Reads
  /** By collection, field and target of a relation. */
  readonly marks: ReadonlyMap<string, Mark>
}

const markKey = (...names: readonly string[]) => JSON.stringify(names)

function marksOf({ world, reads }: Omit<Whole, 'marks'>): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>()
  const add = (collection: string, field: string, mark: Omit<Mark, 'name'>) =>
    marks.set(markKey(collection, field, mark.target), { ...mark, name: `${hiddenKey}${marks.size}` })
  for (const collection of Object.keys(world.definition))
    for (const field of fieldNames(world, collection)) {
      const relation = relationOf(world, collection, field)
      if (relation?.kind === 'any')
        for (const [target, isMet] of Object.entries(relation.conditions))
          if (isMet) add(collection, field, { target, isMet })
      if (relation?.kind !== 'many' || !relation.within) continue
      const { to: target, from, within } = relation
      // Where the rules do not show the relation, it is empty.
      const isShown = (owner: Row | undefined) =>
        !owner || allowingOn({ world, reads }, collection, owner).some(({ fields }) => fields.includes(field))
      const isMet = (row: Row) => within(row) && isShown(itemAt(world, collection, row[from]))
      add(collection, field, { target, isMet })
    }
  return marks
}

const markedBy = (mark: Mark | undefined) => mark && { [mark.name]: { _eq: true } }

export function removed(world: World, reads: Reads): World {
  const whole = { world, reads, marks: marksOf({ world, reads }) }
  const readable = Object.keys(world.definition).filter((name) => isReadable(whole, name))
  const definition = Object.fromEntries(readable.map((name) => [name, collectionLeft(whole, name)]))
  const rows = Object.fromEntries(readable.map((name) => [name, rowsLeft(whole, name)]))
  return { ...world, definition, rows }
}

/** A world that is left, without its marks: of what is drawn there are fewer names to be refused. */
export function withoutMarks(left: World): World {
  const definition = Object.entries(left.definition).map(([name, collection]) => {
    const fields = Object.entries(collection.fields).flatMap(([field, one]) => {
      if (isHidden(field) && field !== hiddenKey) return []
      const { filter: _, ...others } = { filter: undefined, ...one }
      return [[field, others] as const]
    })
    return [name, { ...collection, fields: Object.fromEntries(fields) }] as const
  })
  return { ...left, definition: Object.fromEntries(definition) as World['definition'] }
}

const rulesOf = ({ reads }: Pick<Whole, 'reads'>, collection: string) => reads[collection] ?? []
const allowingOn = (whole: Omit<Whole, 'marks'>, collection: string, row: Row) =>
  rulesOf(whole, collection).filter(({ rows }) => rows === undefined || rows(whole.world, row))
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
  for (const mark of whole.marks.values())
    if (mark.target === name) left[mark.name] = { type: 'boolean', nullable: false }
  const isSorted = sortField !== undefined && isGranted(whole, name, sortField)
  return { ...others, ...(isSorted && { sortField }), fields: left }
}

function fieldLeft(
  whole: Whole,
  collection: string,
  name: string,
  field: FieldDefinition,
): FieldDefinition | undefined {
  if (field.type === 'o2m' || field.type === 'm2m' || field.type === 'm2a') {
    const route = field.type === 'o2m' ? field.from : field.through
    const [target = ''] = route.split('.')
    const filter = markedBy(whole.marks.get(markKey(collection, name, target)))
    const { filter: _, ...others } = field
    return listLeft(whole, { ...others, ...(filter && { filter }) }, route)
  }
  const stored = isWhole(whole, collection, name) ? field : withoutKey(field)
  if (stored.type === 'm2o') {
    return isReadable(whole, stored.to) ? stored : plain(keyForm(whole.world, collection, name), stored)
  }
  return stored.type === 'any' ? referenceLeft(whole, { collection, name }, stored) : stored
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

function referenceLeft(
  whole: Whole,
  { collection, name }: { readonly collection: string; readonly name: string },
  field: AnyDefinition,
): FieldDefinition {
  const to = field.to.filter((arm) => isReadable(whole, arm))
  if (to.length === 0 || !isGranted(whole, collection, field.by)) return plain({ type: 'string' }, field)
  const filters = to.flatMap((arm) => {
    const filter = markedBy(whole.marks.get(markKey(collection, name, arm)))
    return filter ? [[arm, filter] as const] : []
  })
  return { ...field, to, filter: Object.fromEntries(filters) }
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
    : { type: 'o2m', from: route, ...(field.filter && { filter: field.filter }), ...sorting }
}

function leadsOn(whole: Whole, junction: string, far: string): boolean {
  const field = whole.world.definition[junction]?.fields[far]
  if (!field || !isGranted(whole, junction, far)) return false
  if (field.type === 'm2o') return isReadable(whole, field.to)
  return (
    field.type === 'any' && referenceLeft(whole, { collection: junction, name: far }, field).type === 'any'
  )
}

function rowsLeft(whole: Whole, collection: string): readonly Row[] {
  const { world } = whole
  const key = keyOf(world, collection)
  return (world.rows[collection] ?? []).flatMap((row) => {
    const allowing = allowingOn(whole, collection, row)
    if (allowing.length === 0) return []
    const cells = Object.entries(row).filter(([name]) => isGranted(whole, collection, name))
    const shown = cells.map(([name, value]) => {
      const isHere = allowing.some(({ fields }) => fields.includes(name))
      return [name, isHere ? value : null] as const
    })
    const marks = [...whole.marks.values()].filter(({ target }) => target === collection)
    const marked = marks.map(({ name, isMet }) => [name, isMet(row)] as const)
    return [{ ...Object.fromEntries([...shown, ...marked]), [hiddenKey]: row[key] }]
  })
}
