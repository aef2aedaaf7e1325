// Filters that are legal for a schema: names of its fields, operators that work on them, values of their types.

import {
  type Collection,
  type Field,
  isStored,
  isToMany,
  type Schema,
  type StoredField,
} from '../../src/schema/model.ts'
import type { Family } from '../../src/types/families.ts'
import { functionsOf } from '../../src/vocabulary/functions.ts'
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { operators, operatorsOf } from '../../src/vocabulary/operators.ts'
import type { Tree } from './random-queries.ts'
import type { Random } from './seeded-random.ts'

/** The value of each family, and the path into JSON, that a filter asks for. */
export interface Values {
  readonly of: Readonly<Record<Family, unknown>>
  readonly path: string
}

// What is to be found nowhere in SQL text: no keyword, column or number of ours looks like this.
export const markers = /marker|918273|291[78]-0|546372/i

export const someValues: Values = {
  path: 'marker.one[7].marker',
  of: {
    integer: 918_273,
    float: 918_273.5,
    decimal: '918273.25',
    text: 'MARKER one \'"`\\ %_',
    csv: 'marker',
    uuid: '91827391-8273-4182-8739-182739182739',
    boolean: true,
    date: '2917-03-05',
    time: '09:18:27',
    dateTime: '2917-03-05T09:18:27',
    timestamp: '2917-03-05T09:18:27.364Z',
    json: 'marker',
    other: 'marker',
    opaque: 'marker',
    hash: 'marker',
    binary: 'bWFya2Vy',
    tuple: [],
    geometry: { type: 'Point', coordinates: [91.8273, 1] },
  },
}

export const otherValues: Values = {
  path: 'markers.two[918273]["marker a"]',
  of: {
    ...someValues.of,
    integer: -546_372,
    float: -546_372.25,
    decimal: '-546372.125',
    text: 'another MARKER; drop table x; --',
    uuid: '54637254-6372-4463-8725-463725463725',
    boolean: false,
    date: '2918-04-06',
    dateTime: '2918-04-06T05:46:37',
    timestamp: '2918-04-06T05:46:37.200Z',
  },
}

/** The same random make the same shape, whatever the values. */
export function randomCondition(
  collection: Collection,
  schema: Schema,
  values: Values,
  random: Random,
  depth = 0,
): Tree {
  const condition: Tree = {}
  for (const [name, inner] of random.many(1, 2, () => entry(collection, schema, values, random, depth))) {
    condition[name] = inner
  }
  return condition
}

function entry(
  collection: Collection,
  schema: Schema,
  values: Values,
  random: Random,
  depth: number,
): [string, unknown] {
  const inside = (target: Collection) => randomCondition(target, schema, values, random, depth + 1)
  if (depth < 3 && random.chance(0.2)) {
    return [random.one(['_and', '_or']), random.many(1, 3, () => inside(collection))]
  }
  const pointers = pointersTo(collection, schema)
  if (depth < 3 && pointers.length > 0 && random.chance(0.05)) {
    const back = random.one(pointers)
    return [`$FOLLOW(${back.collection.name}, ${back.name})`, inside(back.collection)]
  }
  const field = random.one([...collection.fields.values()])
  if (isToMany(field)) return ofChildren(field.name, () => inside(field.target), random, depth)
  if (field.kind === 'm2o' && depth < 4 && random.chance(0.6)) return [field.name, inside(field.target)]
  if (field.kind === 'any' && depth < 4) {
    const [name, target] = random.one([...field.targets])
    return [`${field.name}:${name}`, inside(target)]
  }
  return isStored(field) ? ofColumn(field, values, random) : [field.name, { _null: true }]
}

function ofChildren(name: string, inside: () => Tree, random: Random, depth: number): [string, unknown] {
  if (depth >= 3) return [name, { [random.one(['_null', '_nnull'])]: random.chance(0.5) }]
  return random.do<[string, unknown]>(
    () => [name, inside()],
    () => [name, { [random.one(['_some', '_none'])]: inside() }],
    () => [`count(${name})`, { _gte: 3 }],
    () => [name, { [random.one(['_null', '_nempty'])]: true }],
  )
}

function ofColumn(field: StoredField, values: Values, random: Random): [string, unknown] {
  const { family } = field.value
  const isConcealed = field.kind === 'scalar' && field.isConcealed
  const name = isConcealed ? undefined : random.one([undefined, ...functionsOf(family)])
  if (name === undefined) return [field.name, tests(isConcealed ? 'hash' : family, values, random)]
  if (name !== 'json') return [`${name}(${field.name})`, tests('integer', values, random)]
  const inner = tests('text', values, random)
  return random.chance(0.5)
    ? [`json(${field.name}, ${values.path})`, inner]
    : [field.name, { _json: { [values.path]: inner } }]
}

function tests(family: Family, values: Values, random: Random): Tree {
  const operator = random.one(operatorsOf(family).filter((name) => !('memoryOnly' in operators[name])))
  const value = values.of[family]
  const operands: Readonly<Record<OperandKind, () => unknown>> = {
    value: () => value,
    values: () => random.many(0, 3, () => value),
    pair: () => [value, value],
    text: () => values.of.text,
    geometry: () => values.of.geometry,
    flag: () => random.chance(0.5),
    pattern: () => 'marker',
  }
  return { [operator]: operands[operators[operator].operand]() }
}

function pointersTo(collection: Collection, schema: Schema): Field[] {
  const fields = [...schema.collections.values()].flatMap((other) => [...other.fields.values()])
  return fields.filter((field) => field.kind === 'm2o' && field.target === collection)
}

/** A filter in which one name or value is another one: legal words where they make no sense, and names that nothing has. */
export function misplaced(filter: unknown, random: Random): unknown {
  if (Array.isArray(filter)) {
    if (filter.length === 0) return random.one(Object.values(someValues.of))
    const at = random.below(filter.length)
    return filter.map((element, index) => (index === at ? misplaced(element, random) : element))
  }
  if (typeof filter !== 'object' || filter === null)
    return random.one([...Object.values(someValues.of), null, 'null', ''])
  const entries = Object.entries(filter)
  if (entries.length === 0) return { [random.one(otherNames)]: filter }
  const [name, inner] = random.one(entries)
  const rest = Object.fromEntries(entries.filter(([other]) => other !== name))
  if (random.chance(0.6)) return { ...rest, [name]: misplaced(inner, random) }
  return { ...rest, [random.one(otherNames)]: inner }
}

const otherNames = [
  ...Object.keys(operators),
  ...['_some', '_none', '_and', '_or', '_json'],
  ...[
    'marker_field',
    'MARKER"; --',
    'title',
    'author',
    'comments',
    'blocks',
    'item:block_hero',
    'item:marker',
    'id',
    'meta',
  ],
  ...[
    'year(marker)',
    'json(meta, marker)',
    'count(marker)',
    '$FOLLOW(marker, x)',
    '$FOLLOW(articles, author)',
  ],
]
