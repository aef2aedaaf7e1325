// The roads of reads. Each says how a request looks for something that may or may not be there.
import { type Call, list, one } from '../../conformance/reads/case.ts'

export interface ReadRoad<Sought> {
  readonly title: string
  readonly call: (sought: Sought) => Call
  /** Nobody looks at it. */
  readonly isSilent?: boolean
  /** Rows of groups make no stream. */
  readonly isGrouped?: boolean
}

const field = (title: string, call: (name: string) => Call, isGrouped = false): ReadRoad<string> => ({
  title,
  call,
  isGrouped,
})
const under = (name: string, condition: unknown) => ({ [name]: condition })

const operands = {
  ...{ _eq: 'S', _neq: 'S', _starts_with: 'S', _gt: 'S', _in: ['S'], _null: true, _empty: true },
  ...{ _some: { id: 1 }, _none: { id: 1 }, _json: { code: { _eq: 'S' } } },
}

/** Wherever a field can be named. */
export const fieldRoads: readonly ReadRoad<string>[] = [
  field('fields', (name) => list('articles', { fields: ['id', name] })),
  field('fields of one item', (name) => one('articles', 1, { fields: [name] })),
  field('fields below it', (name) => list('articles', { fields: [`${name}.id`] })),
  field('a wildcard below it', (name) => list('articles', { fields: [`${name}.*`] })),
  field('a scope below it', (name) => list('articles', { fields: [`${name}.item:heroes.id`] })),
  field('fields of a target', (name) => list('comments', { fields: [`article.${name}`] })),
  field('fields of children', (name) => list('authors', { fields: [`articles.${name}`] })),
  field('fields two levels away', (name) =>
    list('authors', { fields: [`articles.comments.article.${name}`] }),
  ),
  field('fields of a junction', (name) => list('articles', { fields: [`tags.article.${name}`] })),
  field('a date function', (name) => list('articles', { fields: [`year(${name})`] })),
  field('a count', (name) => list('articles', { fields: [`count(${name})`] })),
  field('a JSON path', (name) => list('articles', { fields: [`json(${name}, code)`] })),
  field('a function below a relation', (name) => list('comments', { fields: [`article.year(${name})`] })),
  field('an alias', (name) => list('articles', { fields: ['x'], alias: { x: name } })),
  {
    title: 'an alias that nobody asks for',
    call: (name) => list('articles', { fields: ['id'], alias: { x: name } }),
    isSilent: true,
  },
  field('an alias of a function', (name) =>
    list('articles', { fields: ['x'], alias: { x: `count(${name})` } }),
  ),
  field('an alias of a relation below which something is asked', (name) =>
    list('articles', { fields: ['x.id'], alias: { x: name } }),
  ),
  ...Object.entries(operands).map(([operator, operand]) =>
    field(`a filter with ${operator}`, (name) =>
      list('articles', { filter: under(name, { [operator]: operand }) }),
    ),
  ),
  field('a filter in short', (name) => list('articles', { filter: under(name, 'S') })),
  field('a filter for null', (name) => list('articles', { filter: under(name, null) })),
  field('an empty filter', (name) => list('articles', { filter: under(name, {}) })),
  field('a filter in one of several branches', (name) =>
    list('articles', { filter: { _or: [{ id: 1 }, { _and: [under(name, { _eq: 'S' })] }] } }),
  ),
  field('a filter on a target', (name) =>
    list('comments', { filter: { article: under(name, { _eq: 'S' }) } }),
  ),
  field('a filter on children', (name) =>
    list('authors', { filter: { articles: under(name, { _eq: 'S' }) } }),
  ),
  field('a filter on none of the children', (name) =>
    list('authors', { filter: { articles: { _none: under(name, { _eq: 'S' }) } } }),
  ),
  field('a filter below it', (name) => list('articles', { filter: under(name, { id: { _eq: 1 } }) })),
  field('a filter on a scope below it', (name) =>
    list('articles', { filter: under(name, { 'item:heroes': { id: 1 } }) }),
  ),
  field('a filter on a function', (name) =>
    list('articles', { filter: under(`year(${name})`, { _eq: 1999 }) }),
  ),
  field('a filter on a count', (name) => list('articles', { filter: under(`count(${name})`, { _gt: 0 }) })),
  field('a filter on a JSON path', (name) =>
    list('articles', { filter: under(`json(${name}, code)`, { _eq: 'S' }) }),
  ),
  field('a filter by $FOLLOW', (name) =>
    list('authors', { filter: under(`$FOLLOW(articles, ${name})`, { id: 1 }) }),
  ),
  field('a filter of a single item', (name) => one('articles', 1, { filter: under(name, { _nnull: true }) })),
  field('a sort', (name) => list('articles', { sort: [name] })),
  field('a descending sort', (name) => list('articles', { sort: [`-${name}`] })),
  field('a sort by a target', (name) => list('comments', { sort: [`article.${name}`] })),
  field('a sort by children', (name) => list('authors', { sort: [`articles.${name}`] })),
  field('a sort by something below it', (name) => list('articles', { sort: [`${name}.id`] })),
  field('a sort by a function', (name) => list('articles', { sort: [`year(${name})`] })),
  field('a sort by a count', (name) => list('articles', { sort: [`-count(${name})`] })),
  field('a sort by a JSON path', (name) => list('articles', { sort: [`json(${name}, code)`] })),
  field('groups', (name) => list('articles', { groupBy: [name], aggregate: { count: '*' } }), true),
  field('groups by a target', (name) => list('comments', { groupBy: [`article.${name}`] }), true),
  field('groups by a function', (name) => list('articles', { groupBy: [`year(${name})`] }), true),
  ...['count', 'countDistinct', 'min', 'max', 'sum', 'avg'].map((word) =>
    field(`the aggregate ${word}`, (name) => list('articles', { aggregate: { [word]: [name] } }), true),
  ),
  field(
    'an aggregate of a function',
    (name) => list('articles', { aggregate: { max: [`year(${name})`] } }),
    true,
  ),
  field(
    'a sort of groups by an aggregate',
    (name) => list('articles', { groupBy: ['state'], aggregate: { max: [name] }, sort: [`max.${name}`] }),
    true,
  ),
  field('the filter of a deep level', (name) =>
    list('authors', { fields: ['articles.id'], deep: { articles: { _filter: under(name, { _eq: 'S' }) } } }),
  ),
  field('the sort of a deep level', (name) =>
    list('authors', { fields: ['articles.id'], deep: { articles: { _sort: [name] } } }),
  ),
  field('the groups of a deep level', (name) =>
    list('authors', { fields: ['articles.id'], deep: { articles: { _groupBy: [name] } } }),
  ),
  field('the aggregates of a deep level', (name) =>
    list('authors', { fields: ['articles.id'], deep: { articles: { _aggregate: { max: [name] } } } }),
  ),
  field('the alias of a deep level', (name) =>
    list('authors', { fields: ['articles.x'], deep: { articles: { _alias: { x: name } } } }),
  ),
  field('a deep level of its own', (name) => list('articles', { deep: under(name, { _limit: 1 }) })),
  field('a deep level of a scope', (name) =>
    list('articles', {
      fields: ['blocks.item:heroes.*'],
      deep: { blocks: { 'item:heroes': under(name, { _limit: 1 }) } },
    }),
  ),
]

/** Wherever a collection can be named. */
export const collectionRoads: readonly ReadRoad<string>[] = [
  field('a list', (name) => list(name)),
  field('a list with fields', (name) => list(name, { fields: ['code'], meta: '*' })),
  field('an aggregate', (name) => list(name, { aggregate: { count: '*' } }), true),
  field('one item', (name) => one(name, 1)),
  field('one item that there is not', (name) => one(name, 98)),
  field('a version', (name) => one(name, 1, { version: 'draft' })),
  field('a singleton', (name) => ({ verb: 'singleton', of: name, key: '', query: {} })),
  field('a stream', (name) => ({ verb: 'stream', of: name, key: '', query: {} })),
  field('a scope', (name) => list('articles', { fields: [`blocks.item:${name}.code`] })),
  field('a scope alone', (name) => list('articles', { fields: [`blocks.item:${name}`] })),
  field('a scope in a filter', (name) =>
    list('articles', { filter: { blocks: under(`item:${name}`, { code: { _nnull: true } }) } }),
  ),
  field('a scope in a sort', (name) => list('blocks', { sort: [`item:${name}.code`] })),
  field('a scope of a deep level', (name) =>
    list('articles', {
      fields: ['blocks.*'],
      deep: { blocks: under(`item:${name}`, { _filter: { code: 'x' } }) },
    }),
  ),
  field('$FOLLOW', (name) => list('articles', { filter: under(`$FOLLOW(${name}, article)`, { code: 'x' }) })),
  field('$FOLLOW with none', (name) =>
    list('articles', { filter: under(`$FOLLOW(${name}, article)`, { _none: { code: 'x' } }) }),
  ),
  field('$FOLLOW through a junction', (name) =>
    list('heroes', { filter: under(`$FOLLOW(${name}, item, kind)`, { id: 1 }) }),
  ),
]
