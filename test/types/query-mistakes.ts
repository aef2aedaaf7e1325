import type { Mistake, Remark } from './mistake.ts'

const inFilter = (title: string, filter: string, ...remarks: Remark[]) =>
  inLiteral('query/filter-types', 'Filter', title, filter, remarks)
const inQuery = (title: string, query: string, ...remarks: Remark[]) =>
  inLiteral('query/types', 'Query', title, query, remarks)

const inLiteral = (
  file: string,
  type: string,
  title: string,
  literal: string,
  remarks: readonly Remark[],
): Mistake => ({
  title,
  code: [
    `import type { ${type} } from '../../src/${file}.ts'`,
    "import type { Shop } from './schema.ts'",
    `export const asked: ${type}<Shop, 'articles'> = ${literal}`,
  ].join('\n'),
  remarks,
})

const unknown = (at: string, type: string, near?: string): Remark => ({
  at,
  says:
    near === undefined
      ? `Object literal may only specify known properties, and '${at}' does not exist in type '${type}'.`
      : `Object literal may only specify known properties, but '${at}' does not exist in type '${type}'. Did you mean to write '${near}'?`,
})

export const filterMistakes: readonly Mistake[] = [
  inFilter(
    'an unknown field',
    `{ titel: 'x' }`,
    unknown('titel', 'CollectionFilter<"articles", …>', 'title'),
  ),
  inFilter(
    'an unknown field of a related item',
    `{ author: { country: { nam: 'x' } } }`,
    unknown('nam', 'RelatedFilter<"countries", …>', 'name'),
  ),
  inFilter(
    'an unknown field inside "_or"',
    `{ _or: [{ author: { _and: [{ nam: 'x' }] } }] }`,
    unknown('nam', 'RelatedFilter<"authors", …>', 'name'),
  ),
  inFilter(
    'an unknown field of several related items',
    `{ comments: { txt: 'x' } }`,
    unknown('txt', 'RelatedListFilter<"comments", …>', 'text'),
  ),
  inFilter(
    'an unknown field inside "_none"',
    `{ comments: { _none: { txt: 'x' } } }`,
    unknown('txt', 'RelatedFilter<"comments", …>', 'text'),
  ),
  inFilter(
    'a field beyond the junction',
    `{ tags: { name: 'x' } }`,
    unknown('name', 'RelatedListFilter<"articles_tags", …>'),
  ),
  inFilter(
    'a scope that the relation does not have',
    `{ blocks: { 'item:tags': { name: 'x' } } }`,
    unknown("'item:tags'", 'RelatedListFilter<"articles_blocks", …>'),
  ),
  inFilter(
    'an unknown field in a scope',
    `{ blocks: { 'item:block_hero': { headlin: 'x' } } }`,
    unknown('headlin', 'RelatedFilter<"block_hero", …>', 'headline'),
  ),
  inFilter(
    'an unknown operator',
    `{ title: { _contain: 'x' } }`,
    unknown('_contain', 'Operators<"string">', '_contains'),
  ),
  inFilter(
    'an operator that does not fit the type',
    `{ views: { _contains: '1' } }`,
    unknown('_contains', 'Operators<"integer">'),
  ),
  inFilter('a quantifier on a scalar', '{ title: { _some: {} } }', unknown('_some', 'Operators<"string">')),
  inFilter('a comparison of a whole document', '{ meta: { _eq: 3 } }', unknown('_eq', 'Operators<"json">')),
  inFilter('text for a number', `{ views: 'many' }`, {
    at: 'views',
    says: [`Type '"many"' is not assignable to type 'number | bigint | `, 'Operators<"integer">'],
  }),
  inFilter('a number for a moment', '{ published_at: { _gt: 5 } }', {
    at: '_gt',
    says: `Type 'number' is not assignable to type 'string | Date | FieldName | undefined'.`,
  }),
  inFilter('a text that is not among the values', `{ status: 'drafft' }`, {
    at: 'status',
    says: [`Type '"drafft"' is not assignable to type 'TextCondition<`, `Did you mean '"draft"'?`],
  }),
  inFilter('one value for a pair', '{ views: { _between: [1] } }', {
    at: '_between',
    says: ["Type '[number]' is not assignable to type 'readonly ["],
  }),
  inFilter('null in an order', '{ views: { _lt: null } }', {
    at: '_lt',
    says: ["Type 'null' is not assignable to type 'number | bigint | "],
  }),
  inFilter(
    'a date part of a text',
    `{ 'year(title)': 2024 }`,
    unknown("'year(title)'", 'CollectionFilter<"articles", …>'),
  ),
]

export const queryMistakes: readonly Mistake[] = [
  inQuery(
    'an unknown parameter',
    '{ lmit: 5 }',
    unknown('lmit', 'Query<Schema<…, "all">, "articles">', 'limit'),
  ),
  inQuery('text for a limit', `{ limit: '5' }`, {
    at: 'limit',
    says: `Type 'string' is not assignable to type 'number'.`,
  }),
  inQuery(
    'an unknown aggregate',
    `{ aggregate: { cuont: '*' } }`,
    unknown('cuont', 'Aggregates<"articles", …>', 'count'),
  ),
  inQuery(
    'an unknown aggregate of groups',
    `{ groupBy: 'status', having: { cuont: { _gt: 1 } } }`,
    unknown('cuont', 'GroupFilter<"articles", …>', 'count'),
  ),
  inQuery(
    'an unknown field of groups',
    `{ groupBy: 'status', having: { sum: { viewz: { _gt: 1 } } } }`,
    unknown('viewz', 'AggregateCondition<"sum", "articles", …>', 'views'),
  ),
  inQuery(
    'an unknown field below a relation',
    `{ deep: { comments: { article: { _filter: { titel: 'x' } } } } }`,
    unknown('titel', 'CollectionFilter<"articles", …>', 'title'),
  ),
  inQuery(
    'an unknown field below a scope',
    `{ deep: { blocks: { 'item:block_hero': { _filter: { headlin: 'x' } } } } }`,
    unknown('headlin', 'CollectionFilter<"block_hero", …>', 'headline'),
  ),
]
