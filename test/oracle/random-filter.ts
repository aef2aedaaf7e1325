// Filters drawn by chance. Operands come from the rows, so that many of them select something.

import {
  fieldNames,
  fieldOf,
  keyParts,
  keyType,
  keyValue,
  relationOf,
  type ToMany,
  toAny,
  typeOf,
} from './dataset.ts'
import {
  type Draw,
  jsonFunction,
  note,
  noteArm,
  noteRelation,
  numberFunction,
  relatedAggregate,
  relationsOf,
  valueFields,
  way,
} from './draw.ts'
import type { Filter } from './filter.ts'
import { randomCondition, randomOperators } from './random-condition.ts'
import { jsonPaths } from './random-values.ts'

type Tree = Record<string, unknown>

export function randomFilter(draw: Draw, collection: string, depth = 0): Filter {
  const { random } = draw
  if (depth < 3 && random.chance(0.15)) {
    const word = random.one(['_and', '_or', '_or'])
    note(draw, word)
    if (depth === 0 && random.chance(0.02)) return { _and: [] }
    return { [word]: random.many(1, 3, () => randomFilter(draw, collection, depth + 1)) }
  }
  const parts = random.many(1, random.chance(0.25) ? 2 : 1, () => randomPart(draw, collection, depth))
  return Object.assign({}, ...parts)
}

function randomPart(draw: Draw, collection: string, depth: number): Tree {
  const { random } = draw
  const isDeepEnough = depth >= 3
  const ways: readonly (() => Tree | undefined)[] = [
    () => onField(draw, collection),
    () => onField(draw, collection),
    () => onFunction(draw, collection),
    () => onJson(draw, collection),
    () => onRelated(draw, collection),
    ...(isDeepEnough
      ? []
      : [
          () => onOne(draw, collection, depth),
          () => onMany(draw, collection, depth),
          () => onMany(draw, collection, depth),
          () => onArm(draw, collection, depth),
          () => onFollow(draw, collection, depth),
        ]),
  ]
  return random.one(ways)() ?? onField(draw, collection)
}

function onField(draw: Draw, collection: string): Tree {
  const { random, world } = draw
  const name = random.one(
    fieldNames(world, collection).filter((one) => {
      const kind = relationOf(world, collection, one)?.kind
      return kind === undefined || kind === 'one'
    }),
  )
  const type = typeOf(world, collection, name)
  const other = random.chance(0.1) ? otherField(draw, collection, type) : undefined
  if (other !== undefined) return { [name]: other }
  // A whole document is compared with nothing.
  const samples = type === 'json' ? [] : (world.rows[collection] ?? []).map((row) => row[name])
  return { [name]: randomCondition(draw, type, samples) }
}

/** Kinds of fields that compare with each other. */
const kindOf = (type: string) =>
  ({ text: 'string', bigInteger: 'integer' })[type] ?? (/^(json|binary|tuple)/.test(type) ? undefined : type)

/** A comparison with another field, of the item or behind relations to one. */
function otherField(draw: Draw, collection: string, type: string): Tree | undefined {
  const { random } = draw
  const { path, collection: end } = way(draw, collection, 2, false)
  const names = valueFields(draw, end, (one) => kindOf(one) !== undefined && kindOf(one) === kindOf(type))
  if (names.length === 0) return undefined
  note(draw, '$field')
  const ordering = type === 'boolean' || type === 'uuid' ? [] : ['_lt', '_lte', '_gt', '_gte']
  return { [random.one(['_eq', '_neq', ...ordering])]: { $field: [...path, random.one(names)].join('.') } }
}

function onFunction(draw: Draw, collection: string): Tree | undefined {
  const name = numberFunction(draw, collection)
  return name === undefined ? undefined : { [name]: randomCondition(draw, 'integer', numbersOf(name)) }
}

function onRelated(draw: Draw, collection: string): Tree | undefined {
  const aggregate = relatedAggregate(draw, collection, false)
  return aggregate && { [aggregate.name]: randomCondition(draw, aggregate.type, aggregate.samples) }
}

/** Numbers that the parts of a date, and counts, often have. */
function numbersOf(name: string): readonly number[] {
  if (name.startsWith('year')) return [1965, 1999, 2000, 2018, 2020, 2024, 2024]
  return name.startsWith('count') ? [0, 0, 1, 2, 3] : [0, 1, 2, 4, 5, 8, 12, 23, 29, 31, 53, 59]
}

function onJson(draw: Draw, collection: string): Tree | undefined {
  const { random } = draw
  const call = jsonFunction(draw, collection)
  if (call === undefined) return undefined
  const leaves = [0, 1, 3, 2.5, '', 'a', 'É', 'red', '3', true, false]
  const condition = () => randomCondition(draw, 'json', leaves)
  if (random.chance(0.5)) return { [call]: condition() }
  note(draw, '_json')
  const [, field = ''] = /^json\((.*), /.exec(call) ?? []
  const paths = random.many(1, 2, () => random.one(jsonPaths))
  return { [field]: { _json: Object.fromEntries(paths.map((path) => [path, condition()])) } }
}

function onOne(draw: Draw, collection: string, depth: number): Tree | undefined {
  const { random } = draw
  const ones = relationsOf(draw, collection, 'one')
  if (ones.length === 0) return undefined
  const { name, relation } = random.one(ones)
  noteRelation(draw, collection, name)
  return { [name]: randomFilter(draw, relation.to, depth + 1) }
}

function onMany(draw: Draw, collection: string, depth: number): Tree | undefined {
  const manys = relationsOf(draw, collection, 'many')
  if (manys.length === 0) return undefined
  const { name, relation } = draw.random.one(manys)
  noteRelation(draw, collection, name)
  return { [name]: aboutChildren(draw, relation, depth) }
}

function onFollow(draw: Draw, collection: string, depth: number): Tree | undefined {
  const { random, world } = draw
  const references = Object.keys(world.definition).flatMap((from) =>
    fieldNames(world, from).flatMap((name) => {
      const field = fieldOf(world, from, name)
      if (field.type === 'm2o' && field.to === collection) return [`${from}, ${name}`]
      return field.type === 'any' && field.to.includes(collection) ? [`${from}, ${name}, ${field.by}`] : []
    }),
  )
  if (references.length === 0) return undefined
  const isAny = (reference: string) => reference.split(',').length === 3
  // There are few of these, and they are to be met often, too.
  const rare = references.filter(isAny)
  const reference = random.one(rare.length > 0 && random.chance(0.4) ? rare : references)
  const [to = '', from = ''] = reference.split(', ')
  if (isAny(reference)) noteArm(draw, '$FOLLOW any', toAny(world, to, from), collection)
  else note(draw, '$FOLLOW')
  const relation: ToMany = { kind: 'many', to, from, sort: undefined }
  return { [`$FOLLOW(${reference})`]: aboutChildren(draw, relation, depth) }
}

function aboutChildren(draw: Draw, { to }: ToMany, depth: number): Tree {
  const { random, world } = draw
  const quantified = (word: string): Tree => {
    note(draw, word)
    return { [word]: randomFilter(draw, to, depth + 1) }
  }
  const emptiness = (): Tree => {
    const word = random.one(['_null', '_nnull', '_empty', '_nempty'])
    note(draw, word)
    return { [word]: random.chance(0.85) }
  }
  /** Branches about one child, about the list, and about both. */
  const mixed = (): Tree => {
    const word = random.one(['_and', '_and', '_or'])
    note(draw, word)
    const branch = () =>
      random.do<Tree>(
        () => randomFilter(draw, to, depth + 1),
        () => randomFilter(draw, to, depth + 1),
        () => quantified(random.one(['_some', '_none'])),
        emptiness,
        () => (random.chance(0.5) ? mixed() : emptiness()),
      )
    return { [word]: random.many(2, 3, branch) }
  }
  const samples = (world.rows[to] ?? []).map((row) => keyValue(world, to, row))
  return random.do<Tree>(
    () => ({ ...randomFilter(draw, to, depth + 1) }),
    () => ({ ...randomFilter(draw, to, depth + 1) }),
    () => quantified('_some'),
    () => quantified('_none'),
    () => ({ ...quantified('_some'), ...quantified('_none') }),
    () => ({ ...randomFilter(draw, to, depth + 1), ...quantified('_none') }),
    emptiness,
    mixed,
    mixed,
    () =>
      keyParts(world, to).length === 0
        ? emptiness()
        : randomOperators(draw, keyType(world, to), samples, ['_eq', '_neq', '_in', '_nin']),
  )
}

function onArm(draw: Draw, collection: string, depth: number): Tree | undefined {
  const { random, world } = draw
  const anys = relationsOf(draw, collection, 'any')
  if (anys.length > 0) {
    const { name, relation } = random.one(anys)
    const arm = random.one(relation.to)
    noteArm(draw, 'arm', relation, arm)
    return { [`${name}:${arm}`]: randomFilter(draw, arm, depth + 1) }
  }
  const blocks = fieldNames(world, collection).find((name) => fieldOf(world, collection, name).type === 'm2a')
  const relation = blocks === undefined ? undefined : relationOf(world, collection, blocks)
  if (blocks === undefined || relation?.kind !== 'many') return undefined
  noteRelation(draw, collection, blocks)
  return { [blocks]: onArm(draw, relation.to, depth) ?? {} }
}
