// Legal queries in their normal form, drawn by chance from the grammar of the contract.
import { aggregates } from '../../src/vocabulary/aggregates.ts'
import { functions } from '../../src/vocabulary/functions.ts'
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { type OperatorName, operators } from '../../src/vocabulary/operators.ts'
import type { Dice } from './seeded-random.ts'

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

export function randomQuery(dice: Dice): Tree {
  const query: Tree = {}
  if (dice.chance(0.5)) query.fields = randomNames(dice, '')
  if (dice.chance(0.8)) query.filter = randomFilter(dice, 0)
  if (dice.chance(0.15)) query.deep = randomLevels(dice, 0)
  Object.assign(query, randomLevel(dice, ''))
  if (dice.chance(0.2)) query.meta = dice.one([['*'], ['total_count', 'filter_count']])
  if (dice.chance(0.1)) query.export = dice.one(['csv', 'json', 'xml', 'yaml'])
  if (dice.chance(0.1)) query.version = dice.one(['draft', 'Entwurf 2'])
  if (dice.chance(0.1)) query.versionRaw = dice.chance(0.5)
  return query
}

/** What may stand at the root, and with a prefix at every level. */
function randomLevel(dice: Dice, prefix: string): Tree {
  const level: Tree = {}
  if (dice.chance(0.3)) level[`${prefix}sort`] = randomNames(dice, dice.one(['', '-']))
  if (dice.chance(0.3)) level[`${prefix}limit`] = dice.one([-1, 0, 1, 25, 10_000])
  if (dice.chance(0.3)) level[dice.one([`${prefix}offset`, `${prefix}page`])] = 1 + dice.below(50)
  if (dice.chance(0.2)) level[`${prefix}search`] = dice.one(['a', 'a b', '{"a":1}', '%', 'é'])
  if (dice.chance(0.2)) level[`${prefix}aggregate`] = randomAggregate(dice)
  if (dice.chance(0.2)) level[`${prefix}groupBy`] = randomNames(dice, '')
  if (dice.chance(0.2))
    level[`${prefix}alias`] = {
      [`alias ${dice.below(9)}`]: dice.one(['title', 'year(born)', 'json(meta, a.b)']),
    }
  if (dice.chance(0.1)) level[`${prefix}backlink`] = dice.chance(0.5)
  return level
}

function randomLevels(dice: Dice, depth: number): Tree {
  const levels: Tree = {}
  for (const name of dice.many(1, 2, () => dice.one([...fieldNames, 'item:block_hero']))) {
    const level: Tree = { _limit: dice.below(9), ...randomLevel(dice, '_') }
    if (dice.chance(0.5)) level._filter = randomFilter(dice, 1)
    levels[name] = depth < 3 && dice.chance(0.2) ? { ...level, ...randomLevels(dice, depth + 1) } : level
  }
  return levels
}

const randomNames = (dice: Dice, prefix: string) => dice.many(1, 4, () => prefix + randomName(dice))

const randomName = (dice: Dice): string =>
  dice.do(
    () => dice.one(['id', 'title', '*', '*.*', 'author.*', 'blocks.item:block_hero.headline']),
    () => dice.many(1, 6, () => dice.one(['author', 'country', 'x'])).join('.'),
    () => `${dice.one(['', 'author.'])}${dice.one(dateParts)}(${dice.one(['born', 'author.born'])})`,
    () => `json(meta, ${dice.one(jsonPaths)})`,
  )

function randomAggregate(dice: Dice): Tree {
  const asked = dice
    .some(Object.keys(aggregates), 3)
    .map((name) => [name, randomNames(dice, '').map((field) => field.replace(/^\*$/, 'id'))])
  return { ...Object.fromEntries(asked), count: dice.one([['*'], ['id', '*']]) }
}

/** A filter with at least one condition. */
export function randomFilter(dice: Dice, depth: number): Tree {
  const filter: Tree = {}
  for (const [name, inner] of dice.many(1, 2, () => randomEntry(dice, depth))) filter[name] = inner
  return filter
}

function randomEntry(dice: Dice, depth: number): [string, unknown] {
  if (depth > 4 || dice.chance(0.6)) return [dice.one(fieldNames), randomTests(dice, false)]
  return dice.do<[string, unknown]>(
    () => [dice.one(['_and', '_or']), dice.many(1, 3, () => randomFilter(dice, depth + 1))],
    () => [
      dice.one([...fieldNames, 'item:block_hero', '$FOLLOW(comments, article)']),
      randomFilter(dice, depth + 1),
    ],
    () => [dice.one(fieldNames), { [dice.one(['_some', '_none'])]: randomFilter(dice, depth + 1) }],
    () => [`${dice.one(dateParts)}(${dice.one(['born', 'comments'])})`, randomTests(dice, false)],
    () => [`json(meta, ${dice.one(jsonPaths)})`, randomTests(dice, true)],
    () => [dice.one(fieldNames), { _json: { [dice.one(jsonPaths)]: randomTests(dice, true) } }],
    () => [dice.one(fieldNames), { _or: dice.many(1, 3, () => randomTests(dice, false)) }],
    () => ['_and', []],
  )
}

function randomTests(dice: Dice, inJson: boolean): Tree {
  const tests: Tree = {}
  for (const operator of dice.many(1, 2, () => dice.one(operatorNames))) {
    tests[operator] = randomOperand(dice, operators[operator].operand, inJson)
  }
  return tests
}

const operatorNames = Object.keys(operators) as OperatorName[]

/** Outside of JSON only texts: in a query string all is text, and the forms could not be equal. */
function randomOperand(dice: Dice, kind: OperandKind, inJson: boolean): unknown {
  const scalar = () => (inJson ? dice.one([...jsonTexts, 5, -1.5, 0, true, false, 1e21]) : dice.one(texts))
  const kinds: Readonly<Record<OperandKind, () => unknown>> = {
    value: scalar,
    values: () => dice.many(0, 4, scalar),
    pair: () => [scalar(), scalar()],
    text: () => dice.one(texts),
    geometry: () => randomGeometry(dice),
    flag: () => dice.chance(0.5),
    pattern: () => dice.one(['^a', '\\d+', '[a-z]{2}$']),
  }
  return kinds[kind]()
}

const randomGeometry = (dice: Dice) =>
  dice.one([
    { type: 'Point', coordinates: [dice.below(90), -1.5] },
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
