// Rows drawn by chance for a schema. Some point nowhere: no foreign key watches over them.
import type { FieldDefinition, SchemaDefinition } from '../../src/schema/definition.ts'
import type { Dice } from '../property/seeded-random.ts'
import { keyOf, type Row, typeOf, type World } from './dataset.ts'
import { digits, makers, texts, uuid } from './random-values.ts'

export function randomWorld(dice: Dice, definition: SchemaDefinition): World {
  const rows: Record<string, Row[]> = {}
  const world = { definition, rows, ...randomLimits(dice) }
  // Keys first: any row may point to any other.
  for (const name of byDependence(world)) {
    // Now and then, more than the default limit lets through.
    const count = dice.chance(0.006) ? 230 : dice.one([0, 1, 3, 8, 15, 25, 40])
    const keys = keysFor(dice, world, name, count)
    rows[name] = keys.map((key) => ({ [keyOf(world, name)]: key }))
  }
  for (const [name, { fields }] of Object.entries(definition)) {
    rows[name] = (rows[name] ?? []).map((row) => filled(dice, world, fields, row))
  }
  return world
}

function randomLimits(dice: Dice): Pick<World, 'limits'> {
  const defaultLimit = 2 + dice.below(8)
  const maxLimit = 4 + dice.below(20)
  if (dice.chance(0.2)) return { limits: { defaultLimit } }
  if (dice.chance(0.1)) return { limits: { maxLimit } }
  return dice.chance(0.1) ? { limits: { defaultLimit, maxLimit } } : {}
}

/** Collections whose key is another's come last. */
function byDependence(world: World): readonly string[] {
  const isBorrowed = (name: string) => keyField(world, name)?.type === 'm2o'
  const names = Object.keys(world.definition)
  return [...names.filter((name) => !isBorrowed(name)), ...names.filter(isBorrowed)]
}

const keyField = (world: World, name: string) => world.definition[name]?.fields[keyOf(world, name)]

function keysFor(dice: Dice, world: World, name: string, count: number): readonly unknown[] {
  const field = keyField(world, name)
  if (field?.type === 'm2o') return keysOf(world, field.to).filter(() => dice.chance(0.5))
  const type = typeOf(world, name, keyOf(world, name))
  const start = dice.below(50)
  if (type === 'integer') return Array.from({ length: count }, (_, index) => start + index * 3)
  if (type === 'uuid') return Array.from({ length: count }, (_, index) => uuid(start + index))
  if (type === 'binary') return Array.from({ length: count }, (_, index) => digits(start + index))
  const stems = texts.filter((text) => !/^\s|\s$/.test(text) && text !== '')
  return Array.from(
    { length: count },
    (_, index) => `${stems[index % stems.length]}${index >= stems.length ? index : ''}`,
  )
}

const keysOf = (world: World, name: string): readonly unknown[] =>
  (world.rows[name] ?? []).map((row) => row[keyOf(world, name)])

function filled(dice: Dice, world: World, fields: Readonly<Record<string, FieldDefinition>>, row: Row): Row {
  const full: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (Object.hasOwn(row, name)) full[name] = row[name]
    else if (field.type === 'm2o') full[name] = reference(dice, world, field.to, field.nullable)
    else if (field.type === 'any') {
      const to = dice.one(field.to)
      full[field.by] = to
      full[name] = dice.chance(0.1) ? null : String(reference(dice, world, to, false))
    } else if (!Object.hasOwn(full, name) && makers[field.type]) {
      full[name] = isNullable(field) && dice.chance(0.2) ? null : makers[field.type]?.(dice, field)
    }
  }
  return full
}

const isNullable = (field: FieldDefinition) => 'nullable' in field && field.nullable === true

function reference(dice: Dice, world: World, to: string, nullable = false): unknown {
  const keys = keysOf(world, to)
  if (nullable && (dice.chance(0.15) || (keys.length === 0 && dice.chance(0.5)))) return null
  if (keys.length === 0 || dice.chance(0.06)) return nowhere(world, to)
  return dice.one(keys)
}

function nowhere(world: World, to: string): unknown {
  const type = typeOf(world, to, keyOf(world, to))
  if (type === 'integer') return 99_999
  if (type === 'binary') return 'abcdef01'
  return type === 'uuid' ? uuid(4_000) : 'gone'
}
