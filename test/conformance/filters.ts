// What filters mean, case by case: relations, their quantifiers, functions and variables.

export interface FilterCase {
  readonly title: string
  /** The collection asked; articles unless said. */
  readonly of?: string
  readonly filter: Readonly<Record<string, unknown>>
  readonly expect: readonly (number | string)[] | 'INVALID_QUERY' | 'FORBIDDEN'
  /** What the case cannot do without. A key that leads nowhere is lost where the item is expanded, hence the last. */
  readonly needs?: 'sql' | 'memory' | 'rawKeys'
  readonly negationMatchesNull?: boolean
  readonly access?: {
    readonly user?: number
    readonly role?: string
    readonly roles?: readonly string[]
    readonly policies?: readonly string[]
  }
  readonly variables?: Readonly<Record<string, unknown>>
}

const all = [1, 2, 3, 4, 5, 6, 7]

export const filterCases: readonly FilterCase[] = [
  // Many-to-one, read like `a?.b`.
  {
    title: 'a condition on a missing target reads null',
    filter: { author: { email: { _null: true } } },
    expect: [3, 4, 6],
  },
  {
    title: 'a target without a value and no target are both empty',
    filter: { author: { email: { _empty: true } } },
    expect: [3, 4, 5, 6],
  },
  { title: 'a comparison needs a target', filter: { author: { age: { _gte: 0 } } }, expect: [1, 2, 3, 7] },
  {
    title: 'a negated comparison needs a target too',
    filter: { author: { name: { _neq: 'Ada' } } },
    expect: [3, 5],
  },
  {
    title: 'a negation that matches null matches a missing target',
    filter: { author: { name: { _neq: 'Ada' } } },
    negationMatchesNull: true,
    expect: [3, 4, 5, 6, 7],
  },
  {
    title: 'null chains through two relations',
    filter: { author: { country: { name: { _null: true } } } },
    expect: [4, 5, 6, 7],
  },
  {
    title: 'a value chains through two relations',
    filter: { author: { country: { name: { _eq: 'Norway' } } } },
    expect: [1, 2],
  },
  {
    title: "a raw key that leads nowhere is still the item's own",
    filter: { author: { _eq: 99 } },
    needs: 'rawKeys',
    expect: [6],
  },
  {
    title: 'a relation is null where the key is',
    filter: { author: { _null: true } },
    needs: 'rawKeys',
    expect: [4],
  },
  {
    title: 'the key of the target is null where it leads nowhere',
    filter: { author: { id: { _null: true } } },
    expect: [4, 6],
  },
  { title: 'a bare key stands for the relation', filter: { author: 1 }, expect: [1, 2] },
  {
    title: 'null stands for a relation without a key',
    filter: { parent: null },
    needs: 'rawKeys',
    expect: [1, 5],
  },
  {
    title: 'operators on the relation join conditions on the target',
    filter: { author: { _in: [1, 2], name: { _eq: 'Bob' } } },
    expect: [3],
  },
  {
    title: '_or inside a relation joins operators and names',
    filter: { author: { _or: [{ _eq: 3 }, { name: { _eq: 'Bob' } }] } },
    expect: [3, 5],
  },
  {
    title: '_and inside a relation is about one target',
    filter: { author: { _and: [{ name: { _eq: 'Ada' } }, { age: { _gt: 30 } }] } },
    expect: [1, 2],
  },
  { title: 'an empty object under a relation is no condition', filter: { author: {} }, expect: all },
  {
    title: "_or of a relation's null and a value",
    filter: { _or: [{ author: { name: { _null: true } } }, { views: { _eq: 5 } }] },
    expect: [2, 4, 6, 7],
  },
  {
    title: 'a self relation joins its own table',
    filter: { parent: { title: { _eq: 'Hello' } } },
    expect: [2, 3],
  },
  {
    title: 'a self relation of two steps',
    filter: { parent: { parent: { title: { _eq: 'Hello' } } } },
    expect: [4],
  },
  { title: 'an item may be its own parent', filter: { parent: { id: { _eq: 7 } } }, expect: [7] },
  {
    title: 'an empty date of a missing target',
    filter: { author: { born: { _empty: true } } },
    expect: [4, 5, 6],
  },
  { title: '_nempty of a target', filter: { author: { email: { _nempty: true } } }, expect: [1, 2, 7] },

  // To-many.
  { title: 'a bare condition means some', filter: { comments: { likes: { _gt: 2 } } }, expect: [1, 2, 5] },
  { title: '_some says the same', filter: { comments: { _some: { likes: { _gt: 2 } } } }, expect: [1, 2, 5] },
  {
    title: '_none matches items without children',
    filter: { comments: { _none: { likes: { _gt: 2 } } } },
    expect: [3, 4, 6, 7],
  },
  {
    title: 'conditions in one object hold for the same child',
    filter: { comments: { text: { _eq: 'nice' }, likes: { _gt: 5 } } },
    expect: [2],
  },
  {
    title: 'conditions in two objects hold for any child each',
    filter: { _and: [{ comments: { text: { _eq: 'nice' } } }, { comments: { likes: { _eq: 0 } } }] },
    expect: [1],
  },
  {
    title: 'two conditions on two children are none on one',
    filter: { comments: { text: { _eq: 'nice' }, likes: { _eq: 0 } } },
    expect: [],
  },
  {
    title: '_and inside a to-many is about the same child',
    filter: { comments: { _and: [{ text: { _eq: 'nice' } }, { likes: { _eq: 0 } }] } },
    expect: [],
  },
  ...[
    { _nnull: true },
    { _null: false },
    { _nempty: true },
    { _none: { likes: { _eq: 99 } } },
    { _some: { text: { _eq: 'bad' } } },
    { _and: [{ _nnull: true }, { text: { _nnull: true } }] },
    { _or: [{ _nnull: true }, { likes: { _eq: 7 } }] },
  ].map((branch) => ({
    title: `_and inside a to-many is about the same child beside ${JSON.stringify(branch)}`,
    filter: { comments: { _and: [{ text: { _eq: 'nice' } }, { likes: { _eq: 0 } }, branch] } },
    expect: [],
  })),
  {
    title: '_and inside a to-many takes a branch about the list, beside what is about one child',
    filter: { comments: { _and: [{ text: { _eq: 'nice' } }, { _none: { likes: { _eq: 0 } } }] } },
    expect: [2],
  },
  {
    title: '_or of a child and of the list goes with what stands around it in the object',
    filter: { comments: { text: { _eq: 'nice' }, _or: [{ likes: { _eq: 0 } }, { _none: {} }] } },
    expect: [],
  },
  {
    title: '_or of a child and of the list holds by its branch about the list alone',
    filter: { comments: { text: { _eq: 'nice' }, _or: [{ likes: { _eq: 0 } }, { _none: { likes: 7 } }] } },
    expect: [1],
  },
  {
    title: 'two _or of a child and of the list are about one child, or hold without any',
    filter: {
      comments: {
        _and: [
          { _or: [{ text: { _eq: 'nice' } }, { _none: {} }] },
          { _or: [{ likes: { _eq: 10 } }, { _none: {} }] },
        ],
      },
    },
    expect: [3, 4, 6, 7],
  },
  {
    title: 'two _or of a child and of the list find the one child that meets both',
    filter: {
      comments: {
        _and: [
          { _or: [{ text: { _eq: 'nice' } }, { _none: {} }] },
          { _or: [{ likes: { _eq: 3 } }, { _none: { likes: { _lt: 5 } } }] },
        ],
      },
    },
    expect: [1, 2, 3, 4, 6, 7],
  },
  {
    title: '_and inside a to-many, under _none, is about the same child beside a branch about the list',
    of: 'authors',
    filter: {
      articles: {
        _none: { comments: { _and: [{ text: { _eq: 'nice' } }, { likes: { _eq: 0 } }, { _nnull: true }] } },
      },
    },
    expect: [1, 2, 3, 4],
  },
  {
    title: '_and inside a many-to-many is about the same row of the junction beside a branch about the list',
    filter: {
      tags: { _and: [{ weight: { _eq: 1 } }, { tag: { name: { _eq: 'news' } } }, { _nnull: true }] },
    },
    expect: [],
  },
  {
    title: '_and inside a $FOLLOW is about the same item beside a branch about the list',
    of: 'authors',
    filter: {
      '$FOLLOW(articles, author)': {
        _and: [{ title: { _eq: 'Hello' } }, { status: { _eq: 'draft' } }, { _nnull: true }],
      },
    },
    needs: 'sql' as const,
    expect: [],
  },
  {
    title: '_or inside a to-many is about one child',
    filter: { comments: { _or: [{ text: { _eq: 'great' } }, { likes: { _eq: 0 } }] } },
    expect: [1, 5],
  },
  {
    title: 'a negated condition holds for some child',
    filter: { comments: { text: { _neq: 'nice' } } },
    expect: [1, 5],
  },
  {
    title: '_none of a null',
    filter: { comments: { _none: { likes: { _null: true } } } },
    expect: [2, 3, 4, 5, 6, 7],
  },
  { title: '_null means no children', filter: { comments: { _null: true } }, expect: [3, 4, 6, 7] },
  { title: '_nnull means a child', filter: { comments: { _nnull: true } }, expect: [1, 2, 5] },
  { title: '_null: false means a child', filter: { comments: { _null: false } }, expect: [1, 2, 5] },
  { title: '_empty means no children', filter: { comments: { _empty: true } }, expect: [3, 4, 6, 7] },
  { title: '_nempty means a child', filter: { comments: { _nempty: true } }, expect: [1, 2, 5] },
  { title: 'null stands for no children', filter: { comments: null }, expect: [3, 4, 6, 7] },
  { title: '_some of no condition means a child', filter: { comments: { _some: {} } }, expect: [1, 2, 5] },
  {
    title: '_none of no condition means no children',
    filter: { comments: { _none: {} } },
    expect: [3, 4, 6, 7],
  },
  { title: 'operators on a to-many test the key of a child', filter: { comments: { _eq: 5 } }, expect: [5] },
  {
    title: '_in on a to-many tests the key of a child',
    filter: { comments: { _in: [2, 4] } },
    expect: [1, 2],
  },
  {
    title: 'operators inside _none test the key of each child',
    filter: { comments: { _none: { _in: [1, 5] } } },
    expect: [2, 3, 4, 6, 7],
  },
  {
    title: '_some and _none of one relation are two conditions',
    filter: { comments: { _some: { likes: { _gte: 3 } }, _none: { likes: { _eq: 0 } } } },
    expect: [2, 5],
  },
  {
    title: '_or of quantifiers on one relation',
    filter: { comments: { _or: [{ _some: { likes: { _eq: 10 } } }, { _none: {} }] } },
    expect: [3, 4, 5, 6, 7],
  },
  {
    title: "_none with a condition on the child's relation",
    filter: { comments: { _none: { author: { name: { _eq: 'Bob' } } } } },
    expect: [2, 3, 4, 6, 7],
  },
  {
    title: '_some of a missing relation of the child',
    filter: { comments: { author: { name: { _null: true } } } },
    expect: [1],
  },
  {
    title: '_none nests in _some',
    filter: { children: { _some: { comments: { _none: {} } } } },
    expect: [1, 2, 7],
  },
  {
    title: '_some nests in _none',
    filter: { children: { _none: { comments: { _some: {} } } } },
    expect: [2, 3, 4, 5, 6, 7],
  },
  {
    title: "_none of a missing target's children holds",
    filter: { author: { comments: { _none: { likes: { _gt: 0 } } } } },
    expect: [4, 5, 6, 7],
  },
  {
    title: "_some of a missing target's children does not",
    filter: { author: { comments: { likes: { _gte: 0 } } } },
    expect: [1, 2, 3, 5],
  },
  {
    title: 'a to-many under a to-one under a to-many',
    filter: { comments: { author: { articles: { title: { _eq: 'Ångström' } } } } },
    expect: [1, 5],
  },
  {
    title: '_or across to-many and own fields',
    filter: { _or: [{ comments: { text: { _eq: 'great' } } }, { views: { _lt: 0 } }] },
    expect: [5, 7],
  },
  {
    title: 'a negation that matches null, in _some',
    filter: { comments: { text: { _neq: 'nice' } } },
    negationMatchesNull: true,
    expect: [1, 5],
  },
  {
    title: 'a negation that matches null, in _none',
    filter: { comments: { _none: { text: { _neq: 'nice' } } } },
    negationMatchesNull: true,
    expect: [2, 3, 4, 6, 7],
  },
  {
    title: 'a many-to-many goes through its junction',
    filter: { tags: { tag: { name: { _eq: 'news' } } } },
    expect: [1, 2],
  },
  { title: 'the junction has fields of its own', filter: { tags: { weight: { _gte: 3 } } }, expect: [1, 5] },
  {
    title: 'the junction and what lies behind are one row',
    filter: { tags: { weight: { _eq: 1 }, tag: { name: { _eq: 'news' } } } },
    expect: [],
  },
  {
    title: 'a junction that leads nowhere reads null',
    filter: { tags: { tag: { name: { _null: true } } } },
    expect: [3, 5, 6],
  },
  {
    title: '_none of a many-to-many',
    filter: { tags: { _none: { tag: { name: { _eq: 'news' } } } } },
    expect: [3, 4, 5, 6, 7],
  },
  {
    title: 'a many-to-many from the other side',
    of: 'tags',
    filter: { articles: { article: { status: { _eq: 'published' } } } },
    expect: [1, 2, 3],
  },
  { title: 'keys that are text', of: 'countries', filter: { authors: { age: { _gt: 40 } } }, expect: ['de'] },

  // Many-to-any.
  {
    title: 'a scope of many-to-any',
    filter: { blocks: { 'item:heroes': { headline: { _eq: 'One' } } } },
    expect: [1],
  },
  {
    title: 'a scope with a uuid key',
    filter: { blocks: { 'item:texts': { content: { _eq: 'B' } } } },
    expect: [2],
  },
  {
    title: 'a scope with a text key takes the text as it is',
    filter: { blocks: { 'item:labels': { name: { _nnull: true } } } },
    expect: [4, 5],
  },
  {
    title: 'a scope with a text key does not take 01 for 1',
    filter: { blocks: { 'item:labels': { name: { _eq: 'one' } } } },
    expect: [],
  },
  {
    title: 'a scope with a key of nineteen digits',
    filter: { blocks: { 'item:giants': { name: { _eq: 'snowflake' } } } },
    expect: [6],
  },
  {
    title: 'a scope with the largest key',
    filter: { blocks: { 'item:giants': { name: { _eq: 'largest' } } } },
    expect: [7],
  },
  {
    title: 'text that is not exactly a key joins nothing',
    filter: { blocks: { 'item:heroes': {} } },
    expect: [1, 2],
  },
  {
    title: 'text that is not exactly a uuid joins nothing',
    filter: { blocks: { 'item:texts': {} } },
    expect: [1, 2],
  },
  {
    title: 'a scope is not met by a null inside nothing',
    filter: { blocks: { 'item:heroes': { headline: { _null: true } } } },
    expect: [2],
  },
  {
    title: '_none over a scope',
    filter: { blocks: { _none: { 'item:heroes': { headline: { _eq: 'One' } } } } },
    expect: [2, 3, 4, 5, 6, 7],
  },
  {
    title: 'the collection beside a scope',
    filter: { blocks: { collection: { _eq: 'labels' } } },
    expect: [4, 5],
  },
  {
    title: 'operators in a scope test the key',
    filter: { blocks: { 'item:heroes': { _eq: 2 } } },
    expect: [2],
  },
  {
    title: 'two scopes in one object are never one row',
    filter: { blocks: { 'item:heroes': {}, 'item:texts': {} } },
    expect: [],
  },
  {
    title: '_or of two scopes',
    filter: {
      blocks: {
        _or: [{ 'item:heroes': { headline: { _eq: 'One' } } }, { 'item:texts': { content: { _eq: 'B' } } }],
      },
    },
    expect: [1, 2],
  },
  {
    title: 'a relation of a scope',
    filter: { blocks: { 'item:heroes': { owner: { name: { _null: true } } } } },
    expect: [2],
  },
  {
    title: 'a scope that the field does not have is unknown',
    filter: { blocks: { 'item:tags': {} } },
    expect: 'FORBIDDEN',
  },

  // $FOLLOW.
  {
    title: '$FOLLOW follows an undeclared relation',
    of: 'authors',
    filter: { '$FOLLOW(heroes, owner)': { headline: { _eq: 'One' } } },
    needs: 'sql',
    expect: [1],
  },
  {
    title: '$FOLLOW takes _none',
    of: 'authors',
    filter: { '$FOLLOW(heroes,owner)': { _none: {} } },
    needs: 'sql',
    expect: [2, 3, 4],
  },
  {
    title: '$FOLLOW of no condition means a child',
    of: 'authors',
    filter: { '$FOLLOW(heroes,owner)': { _some: {} } },
    needs: 'sql',
    expect: [1],
  },
  {
    title: '$FOLLOW with a collection field',
    of: 'heroes',
    filter: { '$FOLLOW(articles_blocks, item, collection)': { article: { _eq: 1 } } },
    needs: 'sql',
    expect: [1],
  },
  {
    title: '$FOLLOW with a collection field and text keys',
    of: 'labels',
    filter: { '$FOLLOW(articles_blocks,item,collection)': { article: { _nnull: true } } },
    needs: 'sql',
    expect: ['01', ' 1'],
  },
  {
    title: '$FOLLOW nests',
    filter: { author: { '$FOLLOW(heroes,owner)': { headline: { _eq: 'One' } } } },
    needs: 'sql',
    expect: [1, 2],
  },
  {
    title: '_none of a $FOLLOW of a missing target holds',
    filter: { author: { '$FOLLOW(heroes,owner)': { _none: {} } } },
    needs: 'sql',
    expect: [3, 4, 5, 6, 7],
  },
  {
    title: '$FOLLOW of a field that points elsewhere is refused',
    of: 'tags',
    filter: { '$FOLLOW(heroes,owner)': {} },
    expect: 'INVALID_QUERY',
  },
  {
    title: '$FOLLOW is refused in memory',
    of: 'authors',
    filter: { '$FOLLOW(heroes,owner)': {} },
    needs: 'memory',
    expect: 'INVALID_QUERY',
  },
  {
    title: '$FOLLOW into an unknown collection is forbidden',
    filter: { '$FOLLOW(nothing,at)': {} },
    expect: 'FORBIDDEN',
  },

  // Functions.
  { title: 'a function is a key', filter: { 'year(published_at)': { _eq: 2023 } }, expect: [1, 2] },
  {
    title: 'a function nests under a relation',
    filter: { author: { 'year(born)': { _lt: 1980 } } },
    expect: [3],
  },
  {
    title: 'a function of a missing target is null',
    filter: { author: { 'year(born)': { _null: true } } },
    expect: [4, 5, 6],
  },
  { title: 'count of children', filter: { 'count(comments)': { _eq: 3 } }, expect: [1] },
  { title: 'count of no children is 0', filter: { 'count(comments)': { _eq: 0 } }, expect: [3, 4, 6, 7] },
  { title: 'count of a many-to-many', filter: { 'count(tags)': { _gte: 2 } }, expect: [1] },
  {
    title: 'count of a many-to-any',
    filter: { 'count(blocks)': { _between: [1, 2] } },
    expect: [1, 2, 4, 5, 6],
  },
  { title: 'count under a relation', filter: { author: { 'count(articles)': { _eq: 2 } } }, expect: [1, 2] },
  {
    title: 'count of a missing target is null',
    filter: { author: { 'count(articles)': { _null: true } } },
    expect: [4, 6],
  },
  { title: 'count inside _some', filter: { children: { 'count(comments)': { _gt: 0 } } }, expect: [1] },
  { title: 'count of a JSON array', filter: { 'count(meta)': { _eq: 3 } }, expect: [2] },
  { title: 'json() reads a path', filter: { 'json(meta, size.w)': { _eq: 10 } }, expect: [1] },
  {
    title: "json() compares by the operand's type",
    filter: { 'json(meta, size.w)': { _eq: '10' } },
    expect: [5],
  },
  { title: 'json() of another type differs', filter: { 'json(meta, size.w)': { _neq: 10 } }, expect: [5, 7] },
  { title: 'json() reads an element', filter: { 'json(meta, list[1])': { _eq: 'a' } }, expect: [1] },
  {
    title: '_json joins paths of one document',
    filter: { meta: { _json: { color: { _eq: 'red' }, 'size.w': { _gt: 3 } } } },
    expect: [1],
  },
  {
    title: '_json takes _or',
    filter: { meta: { _json: { _or: [{ color: { _eq: 'blue' } }, { 'size.w': { _lt: 3 } }] } } },
    expect: [5, 7],
  },
  {
    title: '_json of a missing path is null',
    filter: { meta: { _json: { color: { _null: true } } } },
    expect: [2, 3, 4, 6, 7],
  },
  {
    title: '_json with a list of several types',
    filter: { meta: { _json: { 'size.w': { _in: [10, '10', true] } } } },
    expect: [1, 5],
  },
  {
    title: '_json under a relation',
    filter: { parent: { meta: { _json: { color: { _eq: 'red' } } } } },
    expect: [2, 3],
  },
  {
    title: 'json() under a relation',
    filter: { parent: { 'json(meta, color)': { _eq: 'red' } } },
    expect: [2, 3],
  },
  { title: 'json() takes a boolean', filter: { 'json(meta, flag)': { _eq: true } }, expect: [1] },

  // Logic.
  { title: 'an empty filter is no condition', filter: {}, expect: all },
  { title: 'an empty _or is an error', filter: { _or: [] }, expect: 'INVALID_QUERY' },
  {
    title: 'an empty _or inside a relation is an error',
    filter: { comments: { _none: { _or: [] } } },
    expect: 'INVALID_QUERY',
  },
  {
    title: 'an empty _or inside a field is an error',
    filter: { views: { _or: [] } },
    expect: 'INVALID_QUERY',
  },
  {
    title: 'an empty _or inside a document is an error',
    filter: { meta: { _json: { color: { _or: [] } } } },
    expect: 'INVALID_QUERY',
  },
  { title: 'an empty _and is no condition', filter: { _and: [{}, {}] }, expect: all },
  { title: 'an empty object in _or is an error', filter: { _or: [{}, { id: 1 }] }, expect: 'INVALID_QUERY' },
  { title: 'operators of one field are joined', filter: { views: { _gt: 0, _lt: 50 } }, expect: [2, 5, 6] },
  { title: '_or inside a field', filter: { views: { _or: [{ _eq: 5 }, { _gt: 50 }] } }, expect: [1, 2] },
  {
    title: '_and inside _or inside a field',
    filter: { views: { _or: [{ _null: true }, { _and: [{ _gt: 4 }, { _lt: 6 }] }] } },
    expect: [2, 3],
  },
  { title: 'null stands for _null', filter: { status: null }, expect: [5] },
  { title: '_eq null is _null', filter: { status: { _eq: null } }, expect: [5] },
  { title: '_neq null is _nnull', filter: { status: { _neq: null } }, expect: [1, 2, 3, 4, 6, 7] },
  { title: 'a null in a list is an error', filter: { views: { _in: [1, null] } }, expect: 'INVALID_QUERY' },
  { title: 'an unknown field is forbidden', filter: { nope: { _eq: 1 } }, expect: 'FORBIDDEN' },
  {
    title: '_regex is refused in a query',
    filter: { title: { _regex: '^h' } },
    needs: 'sql',
    expect: 'INVALID_QUERY',
  },
  {
    title: '_regex works in memory',
    filter: { title: { _regex: '^[Hh]' } },
    needs: 'memory',
    expect: [1, 2],
  },

  // Variables. The clock says 2024-03-01T12:00:00Z.
  { title: "$NOW is the clock's", filter: { published_at: { _lt: '$NOW' } }, expect: [1, 2, 4, 5] },
  {
    title: '$NOW(-1 year) goes back a year',
    filter: { published_at: { _gt: '$NOW(-1 year)' } },
    expect: [2, 5, 6],
  },
  {
    title: '$NOW(-1 mo) goes back a month',
    filter: { published_at: { _gt: '$NOW(-1 mo)' } },
    expect: [5, 6],
  },
  {
    title: '$NOW(+1 h) goes on an hour',
    filter: { published_at: { _lt: '$NOW(+1 h)' } },
    expect: [1, 2, 4, 5, 6],
  },
  {
    title: '$NOW(-1.5 days) goes back a day and a half',
    filter: { published_at: { _gte: '$NOW(-1.5 days)' } },
    expect: [5, 6],
  },
  { title: '$NOW in a pair', filter: { published_at: { _between: ['$NOW(-2 days)', '$NOW'] } }, expect: [5] },
  {
    title: '$NOW of nonsense is an error',
    filter: { published_at: { _lt: '$NOW(soon)' } },
    expect: 'INVALID_QUERY',
  },
  {
    title: '$CURRENT_USER is the caller',
    filter: { author: { _eq: '$CURRENT_USER' } },
    access: { user: 1 },
    expect: [1, 2],
  },
  {
    title: '$CURRENT_USER inside a list',
    filter: { author: { _in: ['$CURRENT_USER', 2] } },
    access: { user: 1 },
    expect: [1, 2, 3],
  },
  {
    title: '$CURRENT_ROLES stands for a list',
    filter: { status: { _in: '$CURRENT_ROLES' } },
    access: { roles: ['draft', 'archived'] },
    expect: [2, 4, 6, 7],
  },
  {
    title: '$CURRENT_ROLES without any matches nothing',
    filter: { status: { _in: '$CURRENT_ROLES' } },
    access: { roles: [] },
    expect: [],
  },
  {
    title: 'a path into a variable',
    filter: { status: { _eq: '$CURRENT_ROLE.name' } },
    variables: { '$CURRENT_ROLE.name': 'draft' },
    expect: [2, 6, 7],
  },
  {
    title: 'a path through an object',
    filter: { status: { _eq: '$CURRENT_USER.role.name' } },
    variables: { $CURRENT_USER: { role: { name: 'draft' } } },
    expect: [2, 6, 7],
  },
  { title: 'a variable without value denies', filter: { author: { _eq: '$CURRENT_USER' } }, expect: [] },
  {
    title: 'a variable without value denies under negation',
    filter: { author: { _neq: '$CURRENT_USER' } },
    expect: [],
  },
  {
    title: 'a variable without value denies in _nin',
    filter: { author: { _nin: ['$CURRENT_USER', 7] } },
    expect: [],
  },
  {
    title: 'a variable without value denies around _none',
    filter: { comments: { _none: { author: { _eq: '$CURRENT_USER' } } } },
    expect: [],
  },
  {
    title: 'a variable without value denies when negations match null',
    filter: { author: { _neq: '$CURRENT_USER' } },
    negationMatchesNull: true,
    expect: [],
  },
  {
    title: 'a variable without value denies only its branch',
    filter: { _or: [{ author: { _eq: '$CURRENT_USER' } }, { views: { _eq: 5 } }] },
    expect: [2],
  },
  {
    title: 'a variable without value denies the whole of its branch',
    filter: {
      _or: [{ status: { _eq: 'draft' }, author: { _neq: '$CURRENT_USER' } }, { views: { _eq: 100 } }],
    },
    expect: [1],
  },
  {
    title: 'a branch inside _none does not save the whole when all are denied',
    filter: {
      comments: {
        _none: { _or: [{ author: { _eq: '$CURRENT_USER' } }, { likes: { _eq: '$CURRENT_ROLE' } }] },
      },
    },
    expect: [],
  },
  {
    title: 'a denied branch inside _none leaves the others',
    filter: {
      comments: { _none: { _or: [{ author: { _eq: '$CURRENT_USER' } }, { text: { _eq: 'great' } }] } },
    },
    expect: [1, 2, 3, 4, 6, 7],
  },
  {
    title: 'a denied branch in a field leaves the others',
    filter: { views: { _or: [{ _eq: '$CURRENT_USER' }, { _eq: 42 }] } },
    expect: [5, 6],
  },
  {
    title: 'a variable without value denies the whole around an _or',
    filter: { _and: [{ _or: [{ views: { _eq: 42 } }] }, { author: { _eq: '$CURRENT_USER' } }] },
    expect: [],
  },
  {
    title: 'a user whose key cannot be in the column denies',
    filter: { author: { _eq: '$CURRENT_USER' } },
    variables: { $CURRENT_USER: 'someone' },
    expect: [],
  },
]
