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

/** A name in `fields`, marked where it stands. */
const named = (title: string, name: string, sentence: string) =>
  asked(title, `{ fields: ['id', '${name}'], limit: 5 }`, refused(`'${name}'`, sentence))

const refused = (at: string, sentence: string): Remark => ({
  at,
  says: `Type 'string' is not assignable to type 'Mistake<"${sentence}">'.`,
})

export const answerMistakes: readonly Mistake[] = [
  named('an unknown field', 'titel', "collection 'articles' has no field 'titel'"),
  named('an unknown field of a related item', 'author.nam', "collection 'authors' has no field 'nam'"),
  named('an unknown relation', 'writer.name', "collection 'articles' has no field 'writer'"),
  named('a field behind a value', 'title.length', "field 'articles.title' leads nowhere"),
  named('a field beyond the junction', 'tags.name', "collection 'articles_tags' has no field 'name'"),
  named('an unknown function', 'age(written)', "there is no function 'age'"),
  named('a function of the wrong field', 'year(title)', "year does not work on 'articles.title'"),
  named('a function of an unknown field', 'author.year(bron)', "collection 'authors' has no field 'bron'"),
  named(
    'a scope that is none',
    'blocks.item:tags.name',
    "field 'articles_blocks.item' does not lead to 'tags'",
  ),
  named(
    'a field of another scope',
    'blocks.item:block_hero.content',
    "collection 'block_hero' has no field 'content'",
  ),
  asked(
    'several names',
    "{ fields: ['titel', 'id', 'nam'] }",
    refused("'titel'", "collection 'articles' has no field 'titel'"),
    refused("'nam'", "collection 'articles' has no field 'nam'"),
  ),
  asked(
    'a name in comma text',
    "{ fields: 'id,titel' }",
    refused('fields', "collection 'articles' has no field 'titel'"),
  ),
  asked(
    'an alias of nothing',
    "{ fields: ['id', 't'], alias: { t: 'titel' } }",
    refused("'t'", "collection 'articles' has no field 'titel'"),
  ),
  asked(
    'a name behind an alias',
    "{ fields: ['hi.txt'], alias: { hi: 'comments' } }",
    refused("'hi.txt'", "collection 'comments' has no field 'txt'"),
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
