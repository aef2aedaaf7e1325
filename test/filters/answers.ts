// What filters answer, to compare browsers and workers with the server: all of them load this module.
import {
  compileFilter,
  defineSchema,
  type Filter,
  isEngineError,
  matchesFilter,
  parseQuery,
  type Schema,
  toErrorBody,
} from '../../src/filter.ts'
import { soleKeyOf } from '../../src/schema/model.ts'
import { type FilterCase, filterCases } from '../conformance/filters.ts'
import { itemsOf } from '../conformance/rows.ts'
import { schema as typed } from '../conformance/schema.ts'

// The cases name collections by text, so the compiler is to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

export const memoryCases: readonly FilterCase[] = filterCases.filter(
  ({ needs }) => needs !== 'sql' && needs !== 'rawKeys',
)

/** Everything that is compared, as data that JSON can hold. */
export const answers = () => ({
  matched: memoryCases.map((one) => outcome(() => keysThatMatch(one))),
  compiled: filterCases.flatMap((one) => dialects.map((dialect) => outcome(() => compiled(one, dialect)))),
  parsed: queries.map((text) => outcome(() => parseQuery(text))),
  objects: conditions.map(([filter, item]) => matchesFilter({ schema: things }, 'things', filter, item)),
  refused: outcome(() => defineSchema({ tags: { fields: { id: { type: 'txet', key: true } } } } as never)), // that is the mistake
})

export type Answers = ReturnType<typeof answers>

const dialects = ['sqlite', 'postgres'] as const

function keysThatMatch(one: FilterCase): unknown[] {
  const { of = 'articles', filter, negationMatchesNull = false } = one
  const source = { schema, clock, negationMatchesNull }
  const collection = schema.collections.get(of)
  const key = collection ? soleKeyOf(collection).name : ''
  return itemsOf(of)
    .filter((item) => matchesFilter(source, of, filter, item, usesOf(one)))
    .map((item) => item[key])
}

function compiled(one: FilterCase, dialect: (typeof dialects)[number]): unknown {
  const { of = 'articles', filter, negationMatchesNull = false } = one
  const source = { schema, dialect, clock, negationMatchesNull }
  const { expression, sql, parameters } = compileFilter(source, of, filter, usesOf(one))
  return { sql, parameters: parameters.map(asData), node: expression.toOperationNode().kind }
}

const usesOf = ({ access, variables }: FilterCase) => ({
  ...(access && { access }),
  ...(variables && { variables }),
})

const asData = (value: unknown): unknown =>
  typeof value === 'bigint' || value instanceof Uint8Array ? String(value) : value

function outcome(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return isEngineError(error) ? { code: error.code, body: toErrorBody(error) } : { failed: String(error) }
  }
}

const queries = [
  'fields=title,author.name&filter[author][name][_icontains]=%C3%84da&sort=-views&limit=5',
  '?filter={"_or":[{"status":"draft"},{"views":{"_gt":5}}]}&deep[comments][_limit]=2',
  'filter[title][_eq]=%F0%9F%8E%89&filter[meta][_json][size.w][_gte]=10',
  'aggregate[count]=*&groupBy=status&meta=total_count&search=caf%C3%A9',
  'filtre[title]=x&limit=-7&page=0',
  `search=${'é'.repeat(9_000)}`,
  'filter[title]=%E0%A4%A',
]

const things = defineSchema({
  things: {
    fields: {
      id: { type: 'integer', key: true },
      data: { type: 'binary' },
      at: { type: 'timestamp' },
      name: { type: 'string' },
      place: { type: 'geometry.Point' },
    },
  },
})

const thing = {
  data: Uint8Array.of(1, 2, 255),
  at: new Date('2024-02-29T12:00:00.5Z'),
  name: 'Grüße aus İstanbul',
  place: { type: 'Point', coordinates: [1, 2] },
}

const area = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [3, 0],
      [3, 3],
      [0, 3],
      [0, 0],
    ],
  ],
} as const

/** Conditions whose values are objects of the realm: bytes, dates and geometries. */
const conditions: readonly (readonly [Filter<typeof things, 'things'>, object])[] = [
  [{ data: 'AQL/' }, thing],
  [{ data: Uint8Array.of(1, 2, 255) }, thing],
  [{ data: { _in: [Uint8Array.of(1), 'AQL/'] } }, { ...thing, data: 'AQL/' }],
  [{ data: { _neq: 'AQI=' } }, thing],
  [{ at: { _gt: new Date('2024-02-29T12:00:00Z') } }, thing],
  [{ at: '2024-02-29T13:00:00.500+01:00' }, thing],
  [{ 'year(at)': 2024, 'month(at)': 3 }, thing],
  [{ name: { _icontains: 'GRÜSSE' } }, thing],
  [{ name: { _icontains: 'GRÜßE' } }, thing],
  [{ name: { _istarts_with: 'grüße AUS' } }, thing],
  [{ place: { _intersects: area } }, thing],
  [{ place: { _intersects: area } }, { ...thing, place: { type: 'Point', coordinates: [4, 4] } }],
]
