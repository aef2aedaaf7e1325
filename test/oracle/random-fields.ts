// Which fields to show, level by level, and what `deep` and aliases say of each level.

import { fieldNames, fieldOf, keyParts, type Relation, relationOf } from './dataset.ts'
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
} from './draw.ts'
import { randomGrouping } from './random-grouping.ts'
import { randomLevel, randomSort } from './random-level.ts'

type Tree = Record<string, unknown>

/** `fields`, `deep` and `alias` of the root, and a sort by aliases. */
export function randomFields(draw: Draw, collection: string): Tree {
  const { random } = draw
  if (random.chance(0.12)) return {}
  const level = showLevel(draw, collection, 0)
  const { _alias, ...deep } = level.deep
  const names = Object.keys((_alias ?? {}) as Tree).filter((name) =>
    isSortable(draw, collection, name, _alias),
  )
  return {
    fields: level.fields,
    ...(_alias !== undefined && { alias: _alias }),
    ...(Object.keys(deep).length > 0 && { deep }),
    ...(names.length > 0 && random.chance(0.5) && { sort: randomSort(draw, collection, names) }),
  }
}

interface Level {
  readonly fields: string[]
  readonly deep: Tree
}

function showLevel(draw: Draw, collection: string, depth: number): Level {
  const { random } = draw
  const deep: Tree = {}
  const aliases = random.chance(0.12) ? randomAliases(draw, collection) : {}
  if (Object.keys(aliases).length > 0) {
    deep._alias = aliases
    if (depth > 0) note(draw, '_alias')
  }
  const fields = random
    .many(1, 4, () => {
      const ways: readonly (() => readonly string[])[] = [
        () => [
          random.one(fieldNames(draw.world, collection).filter((name) => isBare(draw, collection, name))),
        ],
        () => [random.one(valueFields(draw, collection, () => true))],
        () => [random.chance(0.3) ? '*' : keyish(draw, collection)],
        () => listed(numberFunction(draw, collection)),
        () => listed(jsonFunction(draw, collection)),
        () => listed(relatedAggregate(draw, collection, true)?.name),
        () => (random.chance(depth === 0 ? 0.3 : 0.05) ? [wildcards(draw)] : []),
        () => showBehind(draw, collection, aliases, deep, depth),
        () => showBehind(draw, collection, aliases, deep, depth),
        () => showArm(draw, collection, deep, depth),
        () => listed(Object.keys(aliases).find(() => random.chance(0.5))),
      ]
      return random.one(ways)()
    })
    .flat()
  // Bare keys have levels below too.
  for (const { name, relation } of [
    ...relationsOf(draw, collection, 'many'),
    ...relationsOf(draw, collection, 'one'),
  ]) {
    const isHidden = deep[name] !== undefined || Object.hasOwn(aliases, name)
    if (!isHidden && random.chance(0.06)) deep[name] = randomBelow(draw, relation)
  }
  return { fields: fields.length > 0 ? [...new Set(fields)] : [keyish(draw, collection)], deep }
}

/** True for what can be shown by its name alone. */
function isBare({ world }: Draw, collection: string, name: string): boolean {
  const relation = relationOf(world, collection, name)
  if (relation?.kind === 'any') return false
  return relation?.kind !== 'many' || keyParts(world, relation.to).length > 0
}

const listed = (name: string | undefined) => (name === undefined ? [] : [name])
const keyish = (draw: Draw, collection: string): string =>
  draw.random.one(valueFields(draw, collection, () => true))

function wildcards(draw: Draw): string {
  const text = draw.random.one(['*.*', '*.*', '*.*.*'])
  note(draw, text)
  return text
}

/** What is shown of the items behind a relation or an alias of one. */
function showBehind(
  draw: Draw,
  collection: string,
  aliases: Tree,
  deep: Tree,
  depth: number,
): readonly string[] {
  const { random } = draw
  const relations = [...relationsOf(draw, collection, 'one'), ...relationsOf(draw, collection, 'many')]
  const named = Object.entries(aliases).flatMap(([name, target]) => {
    const relation = relations.find((one) => one.name === target)?.relation
    return relation ? [{ name, relation }] : []
  })
  // An alias named like a relation hides it.
  const all = [...named, ...named, ...relations.filter(({ name }) => !Object.hasOwn(aliases, name))]
  if (all.length === 0 || depth > 2) return []
  const { name, relation } = random.one(all)
  const field = String(aliases[name] ?? name)
  noteRelation(draw, collection, field)
  // What a mention before this one has said of the level, stays.
  if (deep[name] !== undefined) return [`${name}.${keyish(draw, relation.to)}`]
  const inner = showLevel(draw, relation.to, depth + 1)
  const below = random.chance(0.5) ? randomBelow(draw, relation) : {}
  // What is shown goes by the names of the one, and groups by those of the other.
  const names = { ...Object(inner.deep._alias), ...Object(below._alias) }
  deep[name] = { ...inner.deep, ...below, ...(Object.keys(names).length > 0 && { _alias: names }) }
  return inner.fields.map((one) => `${name}.${one}`)
}

function showArm(draw: Draw, collection: string, deep: Tree, depth: number): readonly string[] {
  const { random } = draw
  const anys = relationsOf(draw, collection, 'any')
  if (anys.length === 0 || depth > 2) return []
  const { name, relation } = random.one(anys)
  if (random.chance(0.2)) return [random.one([name, `${name}.*`])]
  const arm = random.one(relation.to)
  noteArm(draw, 'shown arm', relation, arm)
  const inner = showLevel(draw, arm, depth + 1)
  const scope = `${name}:${arm}`
  if (deep[scope] !== undefined) return [`${scope}.*`]
  deep[scope] = { ...inner.deep, ...(random.chance(0.4) && single(draw, arm)) }
  return inner.fields.map((one) => `${scope}.${one}`)
}

/** The parameters of a level below. */
function randomBelow(draw: Draw, relation: Exclude<Relation, { kind: 'any' }>): Tree {
  if (relation.kind === 'one') return single(draw, relation.to)
  const level = randomLevel(draw, relation.to, '_')
  return draw.random.chance(0.2) ? randomGrouping(draw, relation.to, '_', level) : level
}

/** Of one item, only those that say whether it is shown. */
function single(draw: Draw, collection: string): Tree {
  const { _filter, _search } = randomLevel(draw, collection, '_')
  return { ...(_filter !== undefined && { _filter }), ...(_search !== undefined && { _search }) }
}

function randomAliases(draw: Draw, collection: string): Tree {
  const { random, world } = draw
  const aliases: Tree = {}
  for (const name of random.some(['x1', 'x2', 'x3'], 3)) {
    const target = random.do(
      () => random.one(fieldNames(world, collection)),
      () => random.one(fieldNames(world, collection)),
      () => numberFunction(draw, collection),
      () => jsonFunction(draw, collection),
      () => relatedAggregate(draw, collection, false)?.name,
    )
    if (target !== undefined && (target.includes('(') || isBare(draw, collection, target)))
      aliases[name] = target
  }
  const replaced = random.one(valueFields(draw, collection, () => true))
  if (random.chance(0.15))
    aliases[replaced] = random.one(valueFields(draw, collection, (type) => type !== 'json'))
  return aliases
}

function isSortable({ world }: Draw, collection: string, name: string, aliases: unknown): boolean {
  const target = (aliases as Readonly<Record<string, string>>)[name] ?? name
  if (!/^x\d$/.test(name)) return false
  if (target.includes('(')) return true
  const { type } = fieldOf(world, collection, target)
  return type !== 'json' && relationOf(world, collection, target)?.kind !== 'many'
}
