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

/** What a case asks for, and what it finds; the rest of it last. */
type Row = readonly [filter: FilterCase['filter'], expect: FilterCase['expect'], more?: Partial<FilterCase>]

const rows: Readonly<Record<string, Row>> = {
  // Many-to-one, read like `a?.b`.
  'a condition on a missing target reads null': [{ author: { email: { _null: true } } }, [3, 4, 6]],
  'a target without a value and no target are both empty': [
    { author: { email: { _empty: true } } },
    [3, 4, 5, 6],
  ],
  'a comparison needs a target': [{ author: { age: { _gte: 0 } } }, [1, 2, 3, 7]],
  'a negated comparison needs a target too': [{ author: { name: { _neq: 'Ada' } } }, [3, 5]],
  'a negation that matches null matches a missing target': [
    { author: { name: { _neq: 'Ada' } } },
    [3, 4, 5, 6, 7],
    { negationMatchesNull: true },
  ],
  'null chains through two relations': [{ author: { country: { name: { _null: true } } } }, [4, 5, 6, 7]],
  'a value chains through two relations': [{ author: { country: { name: { _eq: 'Norway' } } } }, [1, 2]],
  "a raw key that leads nowhere is still the item's own": [
    { author: { _eq: 99 } },
    [6],
    { needs: 'rawKeys' },
  ],
  'a relation is null where the key is': [{ author: { _null: true } }, [4], { needs: 'rawKeys' }],
  'the key of the target is null where it leads nowhere': [{ author: { id: { _null: true } } }, [4, 6]],
  'a bare key stands for the relation': [{ author: 1 }, [1, 2]],
  'null stands for a relation without a key': [{ parent: null }, [1, 5], { needs: 'rawKeys' }],
  'operators on the relation join conditions on the target': [
    { author: { _in: [1, 2], name: { _eq: 'Bob' } } },
    [3],
  ],
  '_or inside a relation joins operators and names': [
    { author: { _or: [{ _eq: 3 }, { name: { _eq: 'Bob' } }] } },
    [3, 5],
  ],
  '_and inside a relation is about one target': [
    { author: { _and: [{ name: { _eq: 'Ada' } }, { age: { _gt: 30 } }] } },
    [1, 2],
  ],
  'an empty object under a relation is no condition': [{ author: {} }, all],
  "_or of a relation's null and a value": [
    { _or: [{ author: { name: { _null: true } } }, { views: { _eq: 5 } }] },
    [2, 4, 6, 7],
  ],
  'a self relation joins its own table': [{ parent: { title: { _eq: 'Hello' } } }, [2, 3]],
  'a self relation of two steps': [{ parent: { parent: { title: { _eq: 'Hello' } } } }, [4]],
  'an item may be its own parent': [{ parent: { id: { _eq: 7 } } }, [7]],
  'an empty date of a missing target': [{ author: { born: { _empty: true } } }, [4, 5, 6]],
  '_nempty of a target': [{ author: { email: { _nempty: true } } }, [1, 2, 7]],

  // To-many.
  'a bare condition means some': [{ comments: { likes: { _gt: 2 } } }, [1, 2, 5]],
  '_some says the same': [{ comments: { _some: { likes: { _gt: 2 } } } }, [1, 2, 5]],
  '_none matches items without children': [{ comments: { _none: { likes: { _gt: 2 } } } }, [3, 4, 6, 7]],
  'conditions in one object hold for the same child': [
    { comments: { text: { _eq: 'nice' }, likes: { _gt: 5 } } },
    [2],
  ],
  'conditions in two objects hold for any child each': [
    { _and: [{ comments: { text: { _eq: 'nice' } } }, { comments: { likes: { _eq: 0 } } }] },
    [1],
  ],
  'two conditions on two children are none on one': [
    { comments: { text: { _eq: 'nice' }, likes: { _eq: 0 } } },
    [],
  ],
  '_and inside a to-many is about the same child': [
    { comments: { _and: [{ text: { _eq: 'nice' } }, { likes: { _eq: 0 } }] } },
    [],
  ],
  ...Object.fromEntries(
    [
      { _nnull: true },
      { _null: false },
      { _nempty: true },
      { _none: { likes: { _eq: 99 } } },
      { _some: { text: { _eq: 'bad' } } },
      { _and: [{ _nnull: true }, { text: { _nnull: true } }] },
      { _or: [{ _nnull: true }, { likes: { _eq: 7 } }] },
    ].map((branch): [string, Row] => [
      `_and inside a to-many is about the same child beside ${JSON.stringify(branch)}`,
      [{ comments: { _and: [{ text: { _eq: 'nice' } }, { likes: { _eq: 0 } }, branch] } }, []],
    ]),
  ),
  '_and inside a to-many takes a branch about the list, beside what is about one child': [
    { comments: { _and: [{ text: { _eq: 'nice' } }, { _none: { likes: { _eq: 0 } } }] } },
    [2],
  ],
  '_or of a child and of the list goes with what stands around it in the object': [
    { comments: { text: { _eq: 'nice' }, _or: [{ likes: { _eq: 0 } }, { _none: {} }] } },
    [],
  ],
  '_or of a child and of the list holds by its branch about the list alone': [
    { comments: { text: { _eq: 'nice' }, _or: [{ likes: { _eq: 0 } }, { _none: { likes: 7 } }] } },
    [1],
  ],
  'two _or of a child and of the list are about one child, or hold without any': [
    {
      comments: {
        _and: [
          { _or: [{ text: { _eq: 'nice' } }, { _none: {} }] },
          { _or: [{ likes: { _eq: 10 } }, { _none: {} }] },
        ],
      },
    },
    [3, 4, 6, 7],
  ],
  'two _or of a child and of the list find the one child that meets both': [
    {
      comments: {
        _and: [
          { _or: [{ text: { _eq: 'nice' } }, { _none: {} }] },
          { _or: [{ likes: { _eq: 3 } }, { _none: { likes: { _lt: 5 } } }] },
        ],
      },
    },
    [1, 2, 3, 4, 6, 7],
  ],
  '_and inside a to-many, under _none, is about the same child beside a branch about the list': [
    {
      articles: {
        _none: { comments: { _and: [{ text: { _eq: 'nice' } }, { likes: { _eq: 0 } }, { _nnull: true }] } },
      },
    },
    [1, 2, 3, 4],
    { of: 'authors' },
  ],
  '_and inside a many-to-many is about the same row of the junction beside a branch about the list': [
    { tags: { _and: [{ weight: { _eq: 1 } }, { tag: { name: { _eq: 'news' } } }, { _nnull: true }] } },
    [],
  ],
  '_and inside a $FOLLOW is about the same item beside a branch about the list': [
    {
      '$FOLLOW(articles, author)': {
        _and: [{ title: { _eq: 'Hello' } }, { status: { _eq: 'draft' } }, { _nnull: true }],
      },
    },
    [],
    { of: 'authors', needs: 'sql' as const },
  ],
  '_or inside a to-many is about one child': [
    { comments: { _or: [{ text: { _eq: 'great' } }, { likes: { _eq: 0 } }] } },
    [1, 5],
  ],
  'a negated condition holds for some child': [{ comments: { text: { _neq: 'nice' } } }, [1, 5]],
  '_none of a null': [{ comments: { _none: { likes: { _null: true } } } }, [2, 3, 4, 5, 6, 7]],
  '_null means no children': [{ comments: { _null: true } }, [3, 4, 6, 7]],
  '_nnull means a child': [{ comments: { _nnull: true } }, [1, 2, 5]],
  '_null: false means a child': [{ comments: { _null: false } }, [1, 2, 5]],
  '_empty means no children': [{ comments: { _empty: true } }, [3, 4, 6, 7]],
  '_nempty means a child': [{ comments: { _nempty: true } }, [1, 2, 5]],
  'null stands for no children': [{ comments: null }, [3, 4, 6, 7]],
  '_some of no condition means a child': [{ comments: { _some: {} } }, [1, 2, 5]],
  '_none of no condition means no children': [{ comments: { _none: {} } }, [3, 4, 6, 7]],
  'operators on a to-many test the key of a child': [{ comments: { _eq: 5 } }, [5]],
  '_in on a to-many tests the key of a child': [{ comments: { _in: [2, 4] } }, [1, 2]],
  'operators inside _none test the key of each child': [
    { comments: { _none: { _in: [1, 5] } } },
    [2, 3, 4, 6, 7],
  ],
  '_some and _none of one relation are two conditions': [
    { comments: { _some: { likes: { _gte: 3 } }, _none: { likes: { _eq: 0 } } } },
    [2, 5],
  ],
  '_or of quantifiers on one relation': [
    { comments: { _or: [{ _some: { likes: { _eq: 10 } } }, { _none: {} }] } },
    [3, 4, 5, 6, 7],
  ],
  "_none with a condition on the child's relation": [
    { comments: { _none: { author: { name: { _eq: 'Bob' } } } } },
    [2, 3, 4, 6, 7],
  ],
  '_some of a missing relation of the child': [{ comments: { author: { name: { _null: true } } } }, [1]],
  '_none nests in _some': [{ children: { _some: { comments: { _none: {} } } } }, [1, 2, 7]],
  '_some nests in _none': [{ children: { _none: { comments: { _some: {} } } } }, [2, 3, 4, 5, 6, 7]],
  "_none of a missing target's children holds": [
    { author: { comments: { _none: { likes: { _gt: 0 } } } } },
    [4, 5, 6, 7],
  ],
  "_some of a missing target's children does not": [
    { author: { comments: { likes: { _gte: 0 } } } },
    [1, 2, 3, 5],
  ],
  'a to-many under a to-one under a to-many': [
    { comments: { author: { articles: { title: { _eq: 'Ångström' } } } } },
    [1, 5],
  ],
  '_or across to-many and own fields': [
    { _or: [{ comments: { text: { _eq: 'great' } } }, { views: { _lt: 0 } }] },
    [5, 7],
  ],
  'a negation that matches null, in _some': [
    { comments: { text: { _neq: 'nice' } } },
    [1, 5],
    { negationMatchesNull: true },
  ],
  'a negation that matches null, in _none': [
    { comments: { _none: { text: { _neq: 'nice' } } } },
    [2, 3, 4, 6, 7],
    { negationMatchesNull: true },
  ],
  'a many-to-many goes through its junction': [{ tags: { tag: { name: { _eq: 'news' } } } }, [1, 2]],
  'the junction has fields of its own': [{ tags: { weight: { _gte: 3 } } }, [1, 5]],
  'the junction and what lies behind are one row': [
    { tags: { weight: { _eq: 1 }, tag: { name: { _eq: 'news' } } } },
    [],
  ],
  'a junction that leads nowhere reads null': [{ tags: { tag: { name: { _null: true } } } }, [3, 5, 6]],
  '_none of a many-to-many': [{ tags: { _none: { tag: { name: { _eq: 'news' } } } } }, [3, 4, 5, 6, 7]],
  'a many-to-many from the other side': [
    { articles: { article: { status: { _eq: 'published' } } } },
    [1, 2, 3],
    { of: 'tags' },
  ],
  'keys that are text': [{ authors: { age: { _gt: 40 } } }, ['de'], { of: 'countries' }],

  // Many-to-any.
  'a scope of many-to-any': [{ blocks: { 'item:heroes': { headline: { _eq: 'One' } } } }, [1]],
  'a scope with a uuid key': [{ blocks: { 'item:texts': { content: { _eq: 'B' } } } }, [2]],
  'a scope with a text key takes the text as it is': [
    { blocks: { 'item:labels': { name: { _nnull: true } } } },
    [4, 5],
  ],
  'a scope with a text key does not take 01 for 1': [
    { blocks: { 'item:labels': { name: { _eq: 'one' } } } },
    [],
  ],
  'a scope with a key of nineteen digits': [
    { blocks: { 'item:giants': { name: { _eq: 'snowflake' } } } },
    [6],
  ],
  'a scope with the largest key': [{ blocks: { 'item:giants': { name: { _eq: 'largest' } } } }, [7]],
  'text that is not exactly a key joins nothing': [{ blocks: { 'item:heroes': {} } }, [1, 2]],
  'text that is not exactly a uuid joins nothing': [{ blocks: { 'item:texts': {} } }, [1, 2]],
  'a scope is not met by a null inside nothing': [
    { blocks: { 'item:heroes': { headline: { _null: true } } } },
    [2],
  ],
  '_none over a scope': [
    { blocks: { _none: { 'item:heroes': { headline: { _eq: 'One' } } } } },
    [2, 3, 4, 5, 6, 7],
  ],
  'the collection beside a scope': [{ blocks: { collection: { _eq: 'labels' } } }, [4, 5]],
  'operators in a scope test the key': [{ blocks: { 'item:heroes': { _eq: 2 } } }, [2]],
  'two scopes in one object are never one row': [{ blocks: { 'item:heroes': {}, 'item:texts': {} } }, []],
  '_or of two scopes': [
    {
      blocks: {
        _or: [{ 'item:heroes': { headline: { _eq: 'One' } } }, { 'item:texts': { content: { _eq: 'B' } } }],
      },
    },
    [1, 2],
  ],
  'a relation of a scope': [{ blocks: { 'item:heroes': { owner: { name: { _null: true } } } } }, [2]],
  'a scope that the field does not have is unknown': [{ blocks: { 'item:tags': {} } }, 'FORBIDDEN'],

  // $FOLLOW.
  '$FOLLOW follows an undeclared relation': [
    { '$FOLLOW(heroes, owner)': { headline: { _eq: 'One' } } },
    [1],
    { of: 'authors', needs: 'sql' },
  ],
  '$FOLLOW takes _none': [
    { '$FOLLOW(heroes,owner)': { _none: {} } },
    [2, 3, 4],
    { of: 'authors', needs: 'sql' },
  ],
  '$FOLLOW of no condition means a child': [
    { '$FOLLOW(heroes,owner)': { _some: {} } },
    [1],
    { of: 'authors', needs: 'sql' },
  ],
  '$FOLLOW with a collection field': [
    { '$FOLLOW(articles_blocks, item, collection)': { article: { _eq: 1 } } },
    [1],
    { of: 'heroes', needs: 'sql' },
  ],
  '$FOLLOW with a collection field and text keys': [
    { '$FOLLOW(articles_blocks,item,collection)': { article: { _nnull: true } } },
    ['01', ' 1'],
    { of: 'labels', needs: 'sql' },
  ],
  '$FOLLOW nests': [
    { author: { '$FOLLOW(heroes,owner)': { headline: { _eq: 'One' } } } },
    [1, 2],
    { needs: 'sql' },
  ],
  '_none of a $FOLLOW of a missing target holds': [
    { author: { '$FOLLOW(heroes,owner)': { _none: {} } } },
    [3, 4, 5, 6, 7],
    { needs: 'sql' },
  ],
  '$FOLLOW of a field that points elsewhere is refused': [
    { '$FOLLOW(heroes,owner)': {} },
    'INVALID_QUERY',
    { of: 'tags' },
  ],
  '$FOLLOW is refused in memory': [
    { '$FOLLOW(heroes,owner)': {} },
    'INVALID_QUERY',
    { of: 'authors', needs: 'memory' },
  ],
  '$FOLLOW into an unknown collection is forbidden': [{ '$FOLLOW(nothing,at)': {} }, 'FORBIDDEN'],

  // Functions.
  'a function is a key': [{ 'year(published_at)': { _eq: 2023 } }, [1, 2]],
  'a function nests under a relation': [{ author: { 'year(born)': { _lt: 1980 } } }, [3]],
  'a function of a missing target is null': [{ author: { 'year(born)': { _null: true } } }, [4, 5, 6]],
  'count of children': [{ 'count(comments)': { _eq: 3 } }, [1]],
  'count of no children is 0': [{ 'count(comments)': { _eq: 0 } }, [3, 4, 6, 7]],
  'count of a many-to-many': [{ 'count(tags)': { _gte: 2 } }, [1]],
  'count of a many-to-any': [{ 'count(blocks)': { _between: [1, 2] } }, [1, 2, 4, 5, 6]],
  'count under a relation': [{ author: { 'count(articles)': { _eq: 2 } } }, [1, 2]],
  'count of a missing target is null': [{ author: { 'count(articles)': { _null: true } } }, [4, 6]],
  'count inside _some': [{ children: { 'count(comments)': { _gt: 0 } } }, [1]],
  'count of a JSON array': [{ 'count(meta)': { _eq: 3 } }, [2]],
  'json() reads a path': [{ 'json(meta, size.w)': { _eq: 10 } }, [1]],
  "json() compares by the operand's type": [{ 'json(meta, size.w)': { _eq: '10' } }, [5]],
  'json() of another type differs': [{ 'json(meta, size.w)': { _neq: 10 } }, [5, 7]],
  'json() reads an element': [{ 'json(meta, list[1])': { _eq: 'a' } }, [1]],
  '_json joins paths of one document': [
    { meta: { _json: { color: { _eq: 'red' }, 'size.w': { _gt: 3 } } } },
    [1],
  ],
  '_json takes _or': [
    { meta: { _json: { _or: [{ color: { _eq: 'blue' } }, { 'size.w': { _lt: 3 } }] } } },
    [5, 7],
  ],
  '_json of a missing path is null': [{ meta: { _json: { color: { _null: true } } } }, [2, 3, 4, 6, 7]],
  '_json with a list of several types': [
    { meta: { _json: { 'size.w': { _in: [10, '10', true] } } } },
    [1, 5],
  ],
  '_json under a relation': [{ parent: { meta: { _json: { color: { _eq: 'red' } } } } }, [2, 3]],
  'json() under a relation': [{ parent: { 'json(meta, color)': { _eq: 'red' } } }, [2, 3]],
  'json() takes a boolean': [{ 'json(meta, flag)': { _eq: true } }, [1]],

  // Logic.
  'an empty filter is no condition': [{}, all],
  'an empty _or is an error': [{ _or: [] }, 'INVALID_QUERY'],
  'an empty _or inside a relation is an error': [{ comments: { _none: { _or: [] } } }, 'INVALID_QUERY'],
  'an empty _or inside a field is an error': [{ views: { _or: [] } }, 'INVALID_QUERY'],
  'an empty _or inside a document is an error': [
    { meta: { _json: { color: { _or: [] } } } },
    'INVALID_QUERY',
  ],
  'an empty _and is no condition': [{ _and: [{}, {}] }, all],
  'an empty object in _or is an error': [{ _or: [{}, { id: 1 }] }, 'INVALID_QUERY'],
  'operators of one field are joined': [{ views: { _gt: 0, _lt: 50 } }, [2, 5, 6]],
  '_or inside a field': [{ views: { _or: [{ _eq: 5 }, { _gt: 50 }] } }, [1, 2]],
  '_and inside _or inside a field': [
    { views: { _or: [{ _null: true }, { _and: [{ _gt: 4 }, { _lt: 6 }] }] } },
    [2, 3],
  ],
  'null stands for _null': [{ status: null }, [5]],
  '_eq null is _null': [{ status: { _eq: null } }, [5]],
  '_neq null is _nnull': [{ status: { _neq: null } }, [1, 2, 3, 4, 6, 7]],
  'a null in a list is an error': [{ views: { _in: [1, null] } }, 'INVALID_QUERY'],
  'an unknown field is forbidden': [{ nope: { _eq: 1 } }, 'FORBIDDEN'],
  '_regex is refused in a query': [{ title: { _regex: '^h' } }, 'INVALID_QUERY', { needs: 'sql' }],
  '_regex works in memory': [{ title: { _regex: '^[Hh]' } }, [1, 2], { needs: 'memory' }],

  // Variables. The clock says 2024-03-01T12:00:00Z.
  "$NOW is the clock's": [{ published_at: { _lt: '$NOW' } }, [1, 2, 4, 5]],
  '$NOW(-1 year) goes back a year': [{ published_at: { _gt: '$NOW(-1 year)' } }, [2, 5, 6]],
  '$NOW(-1 mo) goes back a month': [{ published_at: { _gt: '$NOW(-1 mo)' } }, [5, 6]],
  '$NOW(+1 h) goes on an hour': [{ published_at: { _lt: '$NOW(+1 h)' } }, [1, 2, 4, 5, 6]],
  '$NOW(-1.5 days) goes back a day and a half': [{ published_at: { _gte: '$NOW(-1.5 days)' } }, [5, 6]],
  '$NOW in a pair': [{ published_at: { _between: ['$NOW(-2 days)', '$NOW'] } }, [5]],
  '$NOW of nonsense is an error': [{ published_at: { _lt: '$NOW(soon)' } }, 'INVALID_QUERY'],
  '$CURRENT_USER is the caller': [{ author: { _eq: '$CURRENT_USER' } }, [1, 2], { access: { user: 1 } }],
  '$CURRENT_USER inside a list': [
    { author: { _in: ['$CURRENT_USER', 2] } },
    [1, 2, 3],
    { access: { user: 1 } },
  ],
  '$CURRENT_ROLES stands for a list': [
    { status: { _in: '$CURRENT_ROLES' } },
    [2, 4, 6, 7],
    { access: { roles: ['draft', 'archived'] } },
  ],
  '$CURRENT_ROLES without any matches nothing': [
    { status: { _in: '$CURRENT_ROLES' } },
    [],
    { access: { roles: [] } },
  ],
  'a path into a variable': [
    { status: { _eq: '$CURRENT_ROLE.name' } },
    [2, 6, 7],
    { variables: { '$CURRENT_ROLE.name': 'draft' } },
  ],
  'a path through an object': [
    { status: { _eq: '$CURRENT_USER.role.name' } },
    [2, 6, 7],
    { variables: { $CURRENT_USER: { role: { name: 'draft' } } } },
  ],
  'a variable without value denies': [{ author: { _eq: '$CURRENT_USER' } }, []],
  'a variable without value denies under negation': [{ author: { _neq: '$CURRENT_USER' } }, []],
  'a variable without value denies in _nin': [{ author: { _nin: ['$CURRENT_USER', 7] } }, []],
  'a variable without value denies around _none': [
    { comments: { _none: { author: { _eq: '$CURRENT_USER' } } } },
    [],
  ],
  'a variable without value denies when negations match null': [
    { author: { _neq: '$CURRENT_USER' } },
    [],
    { negationMatchesNull: true },
  ],
  'a variable without value denies only its branch': [
    { _or: [{ author: { _eq: '$CURRENT_USER' } }, { views: { _eq: 5 } }] },
    [2],
  ],
  'a variable without value denies the whole of its branch': [
    { _or: [{ status: { _eq: 'draft' }, author: { _neq: '$CURRENT_USER' } }, { views: { _eq: 100 } }] },
    [1],
  ],
  'a branch inside _none does not save the whole when all are denied': [
    {
      comments: {
        _none: { _or: [{ author: { _eq: '$CURRENT_USER' } }, { likes: { _eq: '$CURRENT_ROLE' } }] },
      },
    },
    [],
  ],
  'a denied branch inside _none leaves the others': [
    { comments: { _none: { _or: [{ author: { _eq: '$CURRENT_USER' } }, { text: { _eq: 'great' } }] } } },
    [1, 2, 3, 4, 6, 7],
  ],
  'a denied branch in a field leaves the others': [
    { views: { _or: [{ _eq: '$CURRENT_USER' }, { _eq: 42 }] } },
    [5, 6],
  ],
  'a variable without value denies the whole around an _or': [
    { _and: [{ _or: [{ views: { _eq: 42 } }] }, { author: { _eq: '$CURRENT_USER' } }] },
    [],
  ],
  'a user whose key cannot be in the column denies': [
    { author: { _eq: '$CURRENT_USER' } },
    [],
    { variables: { $CURRENT_USER: 'someone' } },
  ],
}

export const filterCases: readonly FilterCase[] = Object.entries(rows).map(
  ([title, [filter, expect, more]]) => ({ title, filter, expect, ...more }),
)
