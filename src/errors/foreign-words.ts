// Words that people bring from SQL, from other tools and from other languages, by the place where they write them.

/** A word of this library, and how it is written. */
export interface Translation {
  /** Words of others, separated by blanks: in small letters, without signs between their parts. */
  readonly from: string
  readonly to: string
  /** The whole of what to write. */
  readonly example: string
  /** The sentence of the hint, in place of one with the word here. */
  readonly says?: string
}

const row = (from: string, to: string, example: string, says?: string): Translation => ({
  from,
  to,
  example,
  ...(says !== undefined && { says }),
})

/** A type without further options. */
const type = (from: string, to: string): Translation => row(from, to, `{ type: '${to}' }`)

/** Words of others. A word that only differs in its writing, such as `$in`, needs no row. */
export const foreignWords = {
  type: [
    type('int smallint long', 'integer'),
    type('number double real', 'float'),
    type('bigint bigserial', 'bigInteger'),
    row('serial autoincrement', 'integer', "{ type: 'integer', key: true }"),
    row('varchar char', 'string', "{ type: 'string', length: 255 }"),
    row('enum select', 'values', "{ type: 'string', values: ['draft', 'published'] }"),
    row('string[] text[]', 'array', "{ type: 'string', array: true }"),
    row('integer[] int[] number[] list array', 'array', "{ type: 'integer', array: true }"),
    type('bool', 'boolean'),
    type('timestamptz', 'timestamp'),
    type('object jsonb', 'json'),
    type('blob bytea bytes', 'binary'),
    type('guid', 'uuid'),
    row('belongsto manytoone references reference relation ref', 'm2o', "{ type: 'm2o', to: 'authors' }"),
    row('hasmany onetomany', 'o2m', "{ type: 'o2m', from: 'comments.article' }"),
    row('manytomany', 'm2m', "{ type: 'm2m', through: 'articles_tags.article', to: 'tag' }"),
  ],
  fieldOption: [
    row('primarykey primary id', 'key', "{ type: 'integer', key: true }"),
    row('optional allownull', 'nullable', "{ type: 'string', nullable: true }"),
    row(
      'required notnull',
      'nullable',
      "{ type: 'string', nullable: true }",
      'Leave it out: only what says "nullable" takes null',
    ),
    row('references reference ref belongsto relation', 'to', "{ type: 'm2o', to: 'authors' }"),
    row('hasmany onetomany to', 'from', "{ type: 'o2m', from: 'comments.article' }"),
    row('enum options oneof', 'values', "{ type: 'string', values: ['draft', 'published'] }"),
    row('maxlength', 'length', "{ type: 'string', length: 255 }"),
    row('defaultvalue', 'default', "{ type: 'string', default: 'draft' }"),
    row(
      'autoincrement serial',
      'key',
      "{ type: 'integer', key: true }",
      'Leave it out: the database numbers such keys by itself',
    ),
    row('validate min pattern', 'validation', "{ type: 'integer', validation: { n: { _gte: 1 } } }"),
    row('list', 'array', "{ type: 'string', array: true }"),
  ],
  collectionOption: [
    row('primarykey primary id', 'key', `{ key: ['order', 'product'] }`),
    row('orderby order', 'sortField', `{ sortField: 'position' }`),
  ],
  parameter: [
    row('where', 'filter', `{ filter: { title: { _contains: "tea" } } }`),
    row('orderby order sortby asc desc', 'sort', `{ sort: ["-views", "title"] }`),
    row('include with populate relations expand', 'fields', `{ fields: ["title", "author.name"] }`),
    row('select columns', 'fields', `{ fields: ["title", "author.name"] }`),
    row('take first top perpage pagesize', 'limit', '{ limit: 10 }'),
    row('skip from', 'offset', '{ offset: 20 }'),
    row('cursor', 'meta', '{ meta: ["cursors"] }'),
    row('q', 'search', `{ search: "tea" }`),
    row('distinct group', 'groupBy', `{ groupBy: ["status"] }`),
    row('count total totalcount', 'meta', `{ meta: ["total_count"] }`),
  ],
  operator: [
    row('like match', '_contains', '{ title: { _contains: "tea" } }'),
    row('ilike', '_icontains', '{ title: { _icontains: "tea" } }'),
    row('not ne isnot != <>', '_neq', '{ status: { _neq: "draft" } }'),
    row('equals equal is = ==', '_eq', '{ status: { _eq: "draft" } }'),
    row('>', '_gt', '{ views: { _gt: 5 } }'),
    row('>=', '_gte', '{ views: { _gte: 5 } }'),
    row('<', '_lt', '{ views: { _lt: 5 } }'),
    row('<=', '_lte', '{ views: { _lte: 5 } }'),
    row('any oneof', '_in', '{ status: { _in: ["draft", "published"] } }'),
    row('notin', '_nin', '{ status: { _nin: ["draft", "published"] } }'),
    row('isnull', '_null', '{ author: { _null: true } }'),
    row('isnotnull notnull exists', '_nnull', '{ author: { _nnull: true } }'),
    row('beginswith', '_starts_with', '{ title: { _starts_with: "T" } }'),
    row(
      'regexp',
      '_regex',
      '{ title: { _regex: "^T" } }',
      'Here that is "_regex", in validations and in memory',
    ),
    row(
      'every all',
      '_none',
      '{ comments: { _none: { text: { _neq: "good" } } } }',
      'Here that is "_none" of the opposite',
    ),
  ],
  aggregate: [row('average mean', 'avg', `{ avg: "views" }`), row('total', 'sum', `{ sum: "views" }`)],
  action: [row('list get select', 'read', '{ read: true }'), row('edit write', 'update', '{ update: true }')],
  option: [
    row('basepath path', 'prefix', `{ prefix: "/api" }`),
    row('graphql', 'mounts', '{ mounts: [graphql()] }'),
    row('where', 'filter', `{ filter: { owner: "$CURRENT_USER" } }`),
  ],
  callOption: [
    row(
      'trx tx transaction',
      'using',
      'engine.using(trx)',
      'Give the engine of the transaction in place of the engine',
    ),
    row(
      'fields filter sort limit search',
      'query',
      '{ limit: 10 }',
      'That belongs to the query, before the options',
    ),
  ],
} as const satisfies Readonly<Record<string, readonly Translation[]>>

export type WordPlace = keyof typeof foreignWords

/** Returns what a word of others is here; undefined if it is no such word. */
export function translationOf(place: WordPlace, word: string): Translation | undefined {
  const plain = plainWord(word)
  return foreignWords[place].find(({ from }) => from.split(' ').includes(plain))
}

/** A word in small letters, without the signs that others put before it or between its parts, and without a length behind it; the beginning
 *  of a long one. */
export const plainWord = (word: string): string =>
  word
    .slice(0, longestWord)
    .toLowerCase()
    .replace(/\(.*$|^[$@]|[_\-\s]|[!?]$/g, '')

// Hostile words can be kilobytes long.
const longestWord = 40
