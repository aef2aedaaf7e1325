// Callers drawn by chance: what they may read, and who they are.
import type { Access, AnyRule, Schema } from '../../src/index.ts'
import { fieldNames, fieldOf, keyOf, type Row, relationOf, typeOf, type World } from '../oracle/dataset.ts'
import { type Draw, note } from '../oracle/draw.ts'
import { type Filter, matches } from '../oracle/filter.ts'
import { randomOperators } from '../oracle/random-condition.ts'
import { randomFilter } from '../oracle/random-filter.ts'
import { isDenied, type Person, randomVariable } from './variable.ts'

export interface DrawnCaller {
  readonly access: Access<Schema>
  /** What the rules come to, by collection. What is missing may not be read. */
  readonly reads: Readonly<Record<string, readonly Reading[]>>
}

/** One rule, in words of its own. */
export interface Reading {
  readonly fields: readonly string[]
  /** Undefined: every row. */
  readonly rows: ((world: World, row: Row) => boolean) | undefined
}

/** What filters of rules speak of: of anything, or of one field that the rule shows with the rows. */
type Kind = 'by anything' | 'by own fields'

interface Asker extends Draw {
  readonly person: Person
  readonly kind: Kind
}

export function randomCaller(draw: Draw, kind: Kind = 'by anything'): DrawnCaller {
  const asker: Asker = { ...draw, kind, person: new Map() }
  const rules: Record<string, { readonly read: boolean | AnyRule | readonly AnyRule[] }> = {}
  const reads: Record<string, readonly Reading[]> = {}
  for (const name of Object.keys(draw.world.definition)) {
    const granted = randomGrant(asker, name)
    if (!granted) continue
    rules[name] = { read: granted.read }
    reads[name] = granted.readings
  }
  return { access: { ...Object.fromEntries(asker.person), rules }, reads }
}

interface Granted {
  readonly read: boolean | AnyRule | readonly AnyRule[]
  readonly readings: readonly Reading[]
}

function randomGrant(asker: Asker, collection: string): Granted | undefined {
  const { random, world } = asker
  if (random.chance(0.15)) {
    note(asker, 'rule none')
    return random.chance(0.5) ? undefined : { read: random.chance(0.5) ? false : [], readings: [] }
  }
  if (random.chance(0.06)) {
    note(asker, 'rule true')
    return { read: true, readings: [{ fields: fieldNames(world, collection), rows: undefined }] }
  }
  const drawn = random.many(1, random.one([1, 1, 1, 2, 2, 3]), () => randomRule(asker, collection))
  note(asker, drawn.length === 1 ? 'rule alone' : 'rule together')
  const rules = drawn.map(({ rule }) => rule)
  const [only] = rules
  const read = only && rules.length === 1 && random.chance(0.6) ? only : rules
  return { read, readings: drawn.map(({ reading }) => reading) }
}

function randomRule(asker: Asker, collection: string) {
  const { random, world } = asker
  const all = fieldNames(world, collection)
  const named = random.chance(0.15) ? undefined : randomNames(asker, collection)
  const filter = random.chance(0.12) ? undefined : randomCondition(asker, collection, named)
  note(asker, `rule fields ${named ? 'some' : 'all'}`)
  note(asker, `rule filter ${filter ? 'some' : 'none'}`)
  const everything = random.chance(0.5) ? {} : { fields: ['*'] }
  const rule: AnyRule = {
    ...(named ? { fields: named } : everything),
    ...(filter && { filter: filter.given }),
  }
  return { rule, reading: { fields: named ?? all, rows: filter?.rows } }
}

function randomNames(asker: Asker, collection: string): readonly string[] {
  const { random, world } = asker
  const share = random.one([0.5, 0.7, 0.8, 0.9])
  const all = fieldNames(world, collection)
  // Now and then none: then rows can be counted, and nothing else.
  const names = random.chance(0.03) ? [] : all.filter(() => random.chance(share))
  if (isArm(asker, collection) && !names.some((name) => isValue(asker, collection, name)))
    names.push(...all.filter((name) => isValue(asker, collection, name)).slice(0, 1))
  for (const name of all)
    if (!names.includes(name)) note(asker, `hidden ${fieldOf(world, collection, name).type}`)
  if (!names.includes(keyOf(world, collection))) note(asker, 'hidden key')
  return names
}

/** Of an item in an arm without a field to show, the key is shown. Where columns are gone there is always one: the key that rows need. */
const isArm = ({ world }: Asker, collection: string) =>
  Object.values(world.definition).some(({ fields }) =>
    Object.values(fields).some((field) => field.type === 'any' && field.to.includes(collection)),
  )

const isValue = ({ world }: Asker, collection: string, name: string) =>
  relationOf(world, collection, name) === undefined

interface Condition {
  readonly given: Filter
  readonly rows: (world: World, row: Row) => boolean
}

/** Mostly one that divides the rows. */
function randomCondition(
  asker: Asker,
  collection: string,
  names = fieldNames(asker.world, collection),
): Condition | undefined {
  const { random, world } = asker
  if (asker.kind === 'by own fields') return ownCondition(asker, collection, names)
  const rows = world.rows[collection] ?? []
  const most = random.chance(0.85) ? 6 : 1
  let drawn = drawnFilter(asker, collection)
  for (let tries = 1; tries < most; tries++) {
    const { filter } = drawn
    const count = rows.filter((row) => matches(world, collection, filter, row)).length
    if (count > 0 && (count < rows.length || random.chance(0.3))) break
    drawn = drawnFilter(asker, collection)
  }
  for (const [word, times] of drawn.tally)
    for (let time = 0; time < times; time++) note(asker, `rule ${word}`)
  const { filter } = drawn
  const variable = random.chance(0.3) ? randomVariable(asker, filter) : undefined
  if (!variable) return { given: filter, rows: (at, row) => matches(at, collection, filter, row) }
  const { given, meant } = variable
  return { given, rows: (at, row) => !isDenied(meant) && matches(at, collection, meant, row) }
}

/** A condition on one of some fields; undefined where none of them holds a value. */
export function ownCondition(
  draw: Draw,
  collection: string,
  names: readonly string[],
): Condition | undefined {
  const { random, world } = draw
  const values = names.filter(
    (name) => relationOf(world, collection, name) === undefined && typeOf(world, collection, name) !== 'json',
  )
  if (values.length === 0) return undefined
  const name = random.one(values)
  const samples = (world.rows[collection] ?? []).map((row) => row[name])
  const words = ['_eq', '_neq', '_in', '_nin', '_null', '_nnull', '_neq', '_nnull']
  const condition = randomOperators(draw, typeOf(world, collection, name), samples, words)
  const given = { [name]: condition }
  return { given, rows: (at, row) => matches(at, collection, given, row) }
}

/** A part that holds no condition is refused in a rule. */
function drawnFilter(asker: Asker, collection: string) {
  for (;;) {
    const tally = new Map<string, number>()
    const filter = randomFilter({ ...asker, tally }, collection)
    if (!/"(_and|_or)":\[\]|\{\}/.test(JSON.stringify(filter))) return { filter, tally }
  }
}
