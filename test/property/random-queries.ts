// Legal queries in their normal form, drawn by chance from the grammar of the contract.
import { aggregates } from '../../src/vocabulary/aggregates.ts'
import { functions } from '../../src/vocabulary/functions.ts'
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { type OperatorName, operators } from '../../src/vocabulary/operators.ts'
import type { Random } from './seeded-random.ts'

export interface Tree {
  [name: string]: unknown
}

const fieldNames = [
  'id',
  'title',
  'größe',
  'a b',
  'author',
  'comments',
  'toString',
  '0',
  'x%y',
  "o'clock",
  'limit',
]
const texts = [
  '',
  'a',
  'nulls',
  'true',
  '5',
  'a,b',
  '{"b":1}',
  '["b"]',
  ' x ',
  '+&=%[]#',
  'é🎉',
  '$NOW(-1 day)',
  '\\"\'',
  'x'.repeat(40),
]
const jsonTexts = ['', 'a', 'a,b', '{"b":1}', '5x', 'True', 'é🎉']
const jsonPaths = ['size.w', 'items[0].name', '["a key"].x', 'a']
const dateParts = Object.keys(functions).filter((name) => name !== 'json')

export function randomQuery(random: Random): Tree {
  const query: Tree = {}
  if (random.chance(0.5)) query.fields = randomNames(random, '')
  if (random.chance(0.8)) query.filter = randomFilter(random, 0)
  if (random.chance(0.15)) query.deep = randomLevels(random, 0)
  Object.assign(query, randomLevel(random, ''))
  if (random.chance(0.2)) query.meta = random.one([['*'], ['total_count', 'filter_count']])
  if (random.chance(0.1)) query.export = random.one(['csv', 'json', 'xml', 'yaml'])
  if (random.chance(0.1)) query.version = random.one(['draft', 'Entwurf 2'])
  if (random.chance(0.1)) query.versionRaw = random.chance(0.5)
  return query
}

/** What may stand at the root, and with a prefix at every level. */
function randomLevel(random: Random, prefix: string): Tree {
  const level: Tree = {}
  if (random.chance(0.3)) level[`${prefix}sort`] = randomNames(random, random.one(['', '-']))
  if (random.chance(0.3)) level[`${prefix}limit`] = random.one([-1, 0, 1, 25, 10_000])
  if (random.chance(0.3)) level[random.one([`${prefix}offset`, `${prefix}page`])] = 1 + random.below(50)
  if (random.chance(0.2)) level[`${prefix}search`] = random.one(['a', 'a b', '{"a":1}', '%', 'é'])
  if (random.chance(0.2)) level[`${prefix}aggregate`] = randomAggregate(random)
  if (random.chance(0.2)) level[`${prefix}groupBy`] = randomNames(random, '')
  if (random.chance(0.2)) level[`${prefix}having`] = randomHaving(random, 0)
  if (random.chance(0.2))
    level[`${prefix}alias`] = {
      [`alias ${random.below(9)}`]: random.one(['title', 'year(born)', 'json(meta, a.b)']),
    }
  if (random.chance(0.1)) level[`${prefix}backlink`] = random.chance(0.5)
  return level
}

function randomHaving(random: Random, depth: number): Tree {
  const [word, field] = [random.one(Object.keys(aggregates)), random.one(fieldNames)]
  return random.do<Tree>(
    () => ({ count: randomTests(random, false) }),
    () => ({ [word]: { [field]: randomTests(random, false) } }),
    () => ({ [word]: { 'year(born)': randomTests(random, false) }, count: { '*': { _eq: '1' } } }),
    () =>
      depth > 2
        ? { count: { _eq: '2' } }
        : { [random.one(['_and', '_or'])]: random.many(1, 2, () => randomHaving(random, depth + 1)) },
  )
}

function randomLevels(random: Random, depth: number): Tree {
  const levels: Tree = {}
  for (const name of random.many(1, 2, () => random.one([...fieldNames, 'item:block_hero']))) {
    const level: Tree = { _limit: random.below(9), ...randomLevel(random, '_') }
    if (random.chance(0.5)) level._filter = randomFilter(random, 1)
    levels[name] = depth < 3 && random.chance(0.2) ? { ...level, ...randomLevels(random, depth + 1) } : level
  }
  return levels
}

const randomNames = (random: Random, prefix: string) => random.many(1, 4, () => prefix + randomName(random))

const randomName = (random: Random): string =>
  random.do(
    () => random.one(['id', 'title', '*', '*.*', 'author.*', 'blocks.item:block_hero.headline']),
    () => random.many(1, 6, () => random.one(['author', 'country', 'x'])).join('.'),
    () => `${random.one(['', 'author.'])}${random.one(dateParts)}(${random.one(['born', 'author.born'])})`,
    () => `json(meta, ${random.one(jsonPaths)})`,
  )

function randomAggregate(random: Random): Tree {
  const asked = random
    .some(Object.keys(aggregates), 3)
    .map((name) => [name, randomNames(random, '').map((field) => field.replace(/^\*$/, 'id'))])
  return { ...Object.fromEntries(asked), count: random.one([['*'], ['id', '*']]) }
}

/** A filter with at least one condition. */
export function randomFilter(random: Random, depth: number): Tree {
  const filter: Tree = {}
  for (const [name, inner] of random.many(1, 2, () => randomEntry(random, depth))) filter[name] = inner
  return filter
}

function randomEntry(random: Random, depth: number): [string, unknown] {
  if (depth > 4 || random.chance(0.6)) return [random.one(fieldNames), randomTests(random, false)]
  return random.do<[string, unknown]>(
    () => [random.one(['_and', '_or']), random.many(1, 3, () => randomFilter(random, depth + 1))],
    () => [
      random.one([...fieldNames, 'item:block_hero', '$FOLLOW(comments, article)']),
      randomFilter(random, depth + 1),
    ],
    () => [random.one(fieldNames), { [random.one(['_some', '_none'])]: randomFilter(random, depth + 1) }],
    () => [`${random.one(dateParts)}(${random.one(['born', 'comments'])})`, randomTests(random, false)],
    () => [`json(meta, ${random.one(jsonPaths)})`, randomTests(random, true)],
    () => [random.one(fieldNames), { _json: { [random.one(jsonPaths)]: randomTests(random, true) } }],
    () => [random.one(fieldNames), { _or: random.many(1, 3, () => randomTests(random, false)) }],
    () => ['_and', []],
  )
}

function randomTests(random: Random, inJson: boolean): Tree {
  const tests: Tree = {}
  for (const operator of random.many(1, 2, () => random.one(operatorNames))) {
    tests[operator] = randomOperand(random, operators[operator].operand, inJson)
  }
  return tests
}

const operatorNames = Object.keys(operators) as OperatorName[]

/** Outside of JSON only texts: in a query string all is text, and the forms could not be equal. */
function randomOperand(random: Random, kind: OperandKind, inJson: boolean): unknown {
  const scalar = () =>
    inJson ? random.one([...jsonTexts, 5, -1.5, 0, true, false, 1e21]) : random.one(texts)
  const kinds: Readonly<Record<OperandKind, () => unknown>> = {
    value: scalar,
    values: () => random.many(0, 4, scalar),
    pair: () => [scalar(), scalar()],
    text: () => random.one(texts),
    geometry: () => randomGeometry(random),
    flag: () => random.chance(0.5),
    pattern: () => random.one(['^a', '\\d+', '[a-z]{2}$']),
  }
  return kinds[kind]()
}

const randomGeometry = (random: Random) =>
  random.one([
    { type: 'Point', coordinates: [random.below(90), -1.5] },
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [4, 0],
          [4, 4],
          [0, 0],
        ],
      ],
    },
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1e-7, 0] }] },
  ])
