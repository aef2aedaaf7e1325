import type { Mistake, Remark } from './mistake.ts'

const asked = (title: string, query: string, ...remarks: Remark[]): Mistake => ({
  title: `${title}, asked of a verb`,
  code: [
    "import type { CheckedQuery } from '../../src/items/types/checked-query.ts'",
    "import type { Shop } from './schema.ts'",
    "declare function list<const Q>(query: CheckedQuery<Shop, 'articles', Q>): Q",
    `export const answer = list(${query})`,
  ].join('\n'),
  remarks,
})

/** The name of a field that is not there, marked where it stands, with the nearest one. */
const near = (title: string, query: string, name: string, nearest: string) =>
  asked(title, query, {
    at: `'${name}'`,
    says: [`Type '"${name}"' is not assignable to type `, `Did you mean '"${nearest}"'?`],
  })

/** A name in `fields`, marked where it stands. */
const named = (title: string, name: string, sentence: string) =>
  asked(title, `{ fields: ['id', '${name}'], limit: 5 }`, refused(`'${name}'`, sentence))

const refused = (at: string, sentence: string): Remark => ({
  at,
  says: `Type 'string' is not assignable to type 'Mistake<"${sentence}">'.`,
})

export const answerMistakes: readonly Mistake[] = [
  near('an unknown field', "{ fields: ['id', 'titel'] }", 'titel', 'title'),
  near('an unknown field of a related item', "{ fields: ['author.nam'] }", 'author.nam', 'author.name'),
  asked('an unknown relation', "{ fields: ['writer.name'] }", {
    at: "'writer.name'",
    says: [`Type '"writer.name"' is not assignable to type `, "collection 'articles' has no field 'writer'"],
  }),
  named('a field behind a value', 'title.length', "field 'articles.title' leads nowhere"),
  asked('a field beyond the junction', "{ fields: ['tags.name'] }", {
    at: "'tags.name'",
    says: ["collection 'articles_tags' has no field 'name'"],
  }),
  named('an unknown function', 'age(written)', "there is no function 'age'"),
  named('a function of the wrong field', 'year(title)', "year does not work on 'articles.title'"),
  named('a function of an unknown field', 'author.year(bron)', "collection 'authors' has no field 'bron'"),
  named('a sum of text', 'sum(comments.text)', "sum does not work on 'comments.text'"),
  named('a sum without a field', 'sum(comments)', "sum does not work on 'articles.comments'"),
  named('a sum of one related item', 'sum(author.id)', "sum does not work on 'articles.author'"),
  named('a sum of an unknown field', 'sum(comments.lieks)', "collection 'comments' has no field 'lieks'"),
  named(
    'a scope that is none',
    'blocks.item:tags.name',
    "field 'articles_blocks.item' does not lead to 'tags'",
  ),
  asked('a field of another scope', "{ fields: ['blocks.item:block_hero.content'] }", {
    at: "'blocks.item:block_hero.content'",
    says: ["collection 'block_hero' has no field 'content'"],
  }),
  asked(
    'several names',
    "{ fields: ['titel', 'id', 'nam'] }",
    { at: "'titel'", says: `Did you mean '"title"'?` },
    { at: "'nam'", says: "collection 'articles' has no field 'nam'" },
  ),
  asked(
    'a name in comma text',
    "{ fields: 'id,titel' }",
    refused('fields', "collection 'articles' has no field 'titel'"),
  ),
  asked('an alias of nothing', "{ fields: ['id', 't'], alias: { t: 'titel' } }", {
    at: "'t'",
    says: "collection 'articles' has no field 'titel'",
  }),
  asked('a name behind an alias', "{ fields: ['hi.txt'], alias: { hi: 'comments' } }", {
    at: "'hi.txt'",
    says: `Did you mean '"hi.text"'?`,
  }),
  asked('an unknown field of "sort"', "{ sort: 'titel' }", { at: 'sort', says: `Did you mean '"title"'?` }),
  near('an unknown field of "sort", downwards', "{ sort: ['id', '-titel'] }", '-titel', '-title'),
  near(
    'an unknown field behind a relation of "sort"',
    "{ sort: ['author.nam'] }",
    'author.nam',
    'author.name',
  ),
  asked(
    'a name in the comma text of "sort"',
    "{ sort: 'id,-titel' }",
    refused('sort', "collection 'articles' has no field 'titel'"),
  ),
  near(
    'an unknown field of "groupBy"',
    "{ groupBy: ['statos'], aggregate: { count: '*' } }",
    'statos',
    'status',
  ),
  asked(
    'a function of the wrong field in "groupBy"',
    "{ groupBy: ['year(title)'] }",
    refused("'year(title)'", "year does not work on 'articles.title'"),
  ),
  asked('an unknown field of an aggregate', "{ aggregate: { sum: 'viewz' } }", {
    at: 'sum',
    says: `Did you mean '"views"'?`,
  }),
  asked('an aggregate that does not fit', "{ aggregate: { sum: 'title' } }", {
    at: 'sum',
    says: "sum does not work on 'articles.title'",
  }),
  asked('an unknown aggregate', "{ aggregate: { summ: 'views' } }", {
    at: 'summ',
    says: "there is no aggregate 'summ'",
  }),
  asked('an unknown relation of "deep"', '{ deep: { coments: { _limit: 1 } } }', {
    at: 'coments',
    says: "Did you mean to write 'comments'?",
  }),
  asked('an unknown word of "deep"', '{ deep: { comments: { _lmit: 1 } } }', {
    at: '_lmit',
    says: "Did you mean to write '_limit'?",
  }),
  asked('a word of "deep" without its underscore', '{ deep: { comments: { limit: 1 } } }', {
    at: 'limit',
    says: "Did you mean to write '_limit'?",
  }),
  near('an unknown field of "_sort"', "{ deep: { comments: { _sort: ['txt'] } } }", 'txt', 'text'),
  near(
    'an unknown field far below',
    "{ deep: { comments: { article: { _groupBy: ['statos'], _aggregate: { count: '*' } } } } }",
    'statos',
    'status',
  ),
  asked('an unknown word', "{ fields: ['id'], lmit: 5 }", {
    at: 'lmit',
    says: ["'lmit' does not exist in type 'Query<", "Did you mean to write 'limit'?"],
  }),
  asked('a field of a filter beside known names', "{ fields: ['id'], filter: { titel: 'x' } }", {
    at: 'titel',
    says: `Object literal may only specify known properties, but 'titel' does not exist in type 'CollectionFilter<"articles", …>'. Did you mean to write 'title'?`,
  }),
  asked('a field of a filter below', "{ fields: ['id'], deep: { comments: { _filter: { txt: 'x' } } } }", {
    at: 'txt',
    says: `Object literal may only specify known properties, but 'txt' does not exist in type 'CollectionFilter<"comments", …>'. Did you mean to write 'text'?`,
  }),
  {
    title: 'a field that was not asked for',
    code: [
      "import type { ItemAnswer } from '../../src/items/types/result.ts'",
      "import type { Shop } from './schema.ts'",
      "declare const article: ItemAnswer<Shop, 'articles', { fields: ['id', 'author.name'] }>",
      'export const title = article.title',
    ].join('\n'),
    remarks: [{ at: 'title', says: "Property 'title' does not exist on type '…'." }],
  },
  {
    title: 'an unknown field where the answer is used',
    code: [
      "import type { ItemAnswer } from '../../src/items/types/result.ts'",
      "import type { Shop } from './schema.ts'",
      "declare const article: ItemAnswer<Shop, 'articles', { fields: ['id', 'titel'] }>",
      'export const title: string = article.titel',
    ].join('\n'),
    remarks: [
      {
        at: 'title',
        says: `Type 'Mistake<"collection 'articles' has no field 'titel'">' is not assignable to type 'string'.`,
      },
    ],
  },
]
