// Rows drawn by chance for a schema. Some point nowhere: no foreign key watches over them.
import type { FieldDefinition, SchemaDefinition } from '../../src/schema/definition.ts'
import type { Random } from '../property/seeded-random.ts'
import { keyOf, keyParts, keyText, keyValue, type Row, typeOf, type World } from './dataset.ts'
import { digits, makers, texts, uuid } from './random-values.ts'

export function randomWorld(random: Random, definition: SchemaDefinition): World {
  const rows: Record<string, Row[]> = {}
  const world = { definition, rows, ...randomLimits(random) }
  // Keys first: any row may point to any other.
  for (const name of byDependence(world)) {
    // Now and then, more than the default limit lets through.
    const count = random.chance(0.006) ? 230 : random.one([0, 1, 3, 8, 15, 25, 40])
    const parts = keyParts(world, name)
    if (parts.length === 0) rows[name] = Array.from({ length: count }, () => ({}))
    else if (parts.length === 1)
      rows[name] = keysFor(random, world, name, count).map((key) => ({ [keyOf(world, name)]: key }))
    else rows[name] = keysOfParts(random, world, name, parts, count)
  }
  for (const [name, { fields }] of Object.entries(definition)) {
    const full = (rows[name] ?? []).map((row) => filled(random, world, name, fields, row))
    // Where nothing tells items apart, some are alike.
    rows[name] =
      keyParts(world, name).length > 0
        ? full
        : full.map((row) => (random.chance(0.3) ? (full[0] ?? row) : row))
  }
  return world
}

function randomLimits(random: Random): Pick<World, 'limits'> {
  const defaultLimit = 2 + random.below(8)
  const maxLimit = 4 + random.below(20)
  if (random.chance(0.2)) return { limits: { defaultLimit } }
  if (random.chance(0.1)) return { limits: { maxLimit } }
  return random.chance(0.1) ? { limits: { defaultLimit, maxLimit } } : {}
}

/** Collections whose key is another's come last. */
function byDependence(world: World): readonly string[] {
  const isBorrowed = (name: string) =>
    keyParts(world, name).some((part) => isOfLink(world.definition[name], part))
  const names = Object.keys(world.definition)
  const last = names.filter(isBorrowed)
  // A junction may lead to items whose key is another's.
  return [...names.filter((name) => !isBorrowed(name)), ...last.sort((one) => (one === 'links' ? 1 : -1))]
}

/** Different keys of several parts, of few values each. */
function keysOfParts(
  random: Random,
  world: World,
  name: string,
  parts: readonly string[],
  count: number,
): Row[] {
  const found = new Map<string, Row>()
  const { fields } = world.definition[name] ?? { fields: {} }
  for (let tries = 0; tries < count * 2 && found.size < count; tries++) {
    const linked = Object.entries(fields).flatMap(([one, field]) =>
      field.type === 'm2o' && field.by ? Object.entries(held(random, world, name, one)) : [],
    )
    const row: Record<string, unknown> = Object.fromEntries(linked)
    for (const part of parts) {
      const field = fields[part]
      if (!field || Object.hasOwn(row, part)) continue
      row[part] = field.type === 'm2o' ? reference(random, world, field.to) : partValue(random, field)
    }
    if (parts.some((part) => row[part] === null || row[part] === undefined)) continue
    found.set(JSON.stringify(parts.map((part) => String(row[part]).toLowerCase())), row)
  }
  return [...found.values()]
}

function partValue(random: Random, field: FieldDefinition): unknown {
  if (field.type === 'uuid') return uuid(random.below(12))
  return field.type === 'integer' ? random.below(8) : makers[field.type]?.(random, field)
}

/** The values of the fields that hold a relation, and the relation itself. */
function held(random: Random, world: World, name: string, link: string): Row {
  const { fields } = world.definition[name] ?? { fields: {} }
  const field = fields[link]
  if (field?.type !== 'm2o' || !field.by) return {}
  const mayBeNull = field.by.some((one) => isNullable(fields[one]))
  const key = reference(random, world, field.to, mayBeNull)
  const parts = Array.isArray(key)
    ? key
    : field.by.map((one) =>
        isNullable(fields[one]) ? null : strayPart(world, field.to, field.by?.indexOf(one) ?? 0),
      )
  return {
    ...Object.fromEntries(field.by.map((one, index) => [one, parts[index]])),
    [link]: parts.includes(null) ? null : parts,
  }
}

const strayPart = (world: World, to: string, index: number): unknown => {
  const key = nowhere(world, to)
  return Array.isArray(key) ? key[index] : key
}

const keyField = (world: World, name: string) =>
  world.definition[name]?.fields[keyParts(world, name)[0] ?? '']

function keysFor(random: Random, world: World, name: string, count: number): readonly unknown[] {
  const field = keyField(world, name)
  if (field?.type === 'm2o') return keysOf(world, field.to).filter(() => random.chance(0.5))
  const type = typeOf(world, name, keyOf(world, name))
  const start = random.below(50)
  if (type === 'integer') return Array.from({ length: count }, (_, index) => start + index * 3)
  if (type === 'uuid') return Array.from({ length: count }, (_, index) => uuid(start + index))
  if (type === 'binary') return Array.from({ length: count }, (_, index) => digits(start + index))
  const stems = texts.filter((text) => !/^\s|\s$/.test(text) && text !== '')
  return Array.from(
    { length: count },
    (_, index) => `${stems[index % stems.length]}${index >= stems.length ? index : ''}`,
  )
}

/** True for a field that is a relation, or holds a part of one. */
const isOfLink = (collection: World['definition'][string] | undefined, name: string): boolean =>
  Object.entries(collection?.fields ?? {}).some(
    ([one, field]) => field.type === 'm2o' && (one === name || field.by?.includes(name)),
  )

const keysOf = (world: World, name: string): readonly unknown[] =>
  (world.rows[name] ?? []).map((row) => keyValue(world, name, row))

function filled(
  random: Random,
  world: World,
  collection: string,
  fields: Readonly<Record<string, FieldDefinition>>,
  known: Row,
): Row {
  const full: Record<string, unknown> = {}
  const row: Record<string, unknown> = { ...known }
  for (const [name, field] of Object.entries(fields))
    if (field.type === 'm2o' && field.by && !Object.hasOwn(row, name))
      Object.assign(row, held(random, world, collection, name))
  for (const [name, field] of Object.entries(fields)) {
    if (Object.hasOwn(row, name)) full[name] = row[name]
    else if (field.type === 'm2o') full[name] = reference(random, world, field.to, field.nullable)
    else if (field.type === 'any') {
      const to = random.one(field.to)
      full[field.by] = to
      full[name] = random.chance(0.1) ? null : keyText(reference(random, world, to, false))
    } else if (!Object.hasOwn(full, name) && makers[field.type]) {
      full[name] = isNullable(field) && random.chance(0.2) ? null : makers[field.type]?.(random, field)
    }
  }
  return full
}

const isNullable = (field: FieldDefinition | undefined) =>
  field !== undefined && 'nullable' in field && field.nullable === true

function reference(random: Random, world: World, to: string, nullable = false): unknown {
  const keys = keysOf(world, to)
  if (nullable && (random.chance(0.15) || (keys.length === 0 && random.chance(0.5)))) return null
  if (keys.length === 0 || random.chance(0.06)) return nowhere(world, to)
  return random.one(keys)
}

function nowhere(world: World, to: string): unknown {
  const parts = keyParts(world, to).map((name) => {
    const type = typeOf(world, to, name)
    return type === 'decimal' ? farDecimal(world.definition[to]?.fields[name]) : (strays[type] ?? 'gone')
  })
  return parts.length === 1 ? parts[0] : parts
}

/** Values that no key has. */
const strays: Readonly<Record<string, unknown>> = {
  integer: 99_999,
  bigInteger: '99999',
  uuid: uuid(4_000),
  binary: 'abcdef01',
  date: '1901-01-01',
}

const farDecimal = (field: FieldDefinition | undefined): string =>
  field && 'scale' in field && field.scale ? `99999.${'0'.repeat(field.scale)}` : '99999'
