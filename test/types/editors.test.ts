// What an editor offers and shows while a call is written.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { aggregateDocs, junctionDocs, operatorDocs, quantifierDocs } from '../../src/vocabulary/docs.ts'
import { type OperatorName, operators } from '../../src/vocabulary/operators.ts'
import { openEditor } from '../support/editor.ts'

const editor = openEditor(fileURLToPath(new URL('written.ts', import.meta.url)))
const timeout = 120_000

const imports = `
import { createEngine, deleteItems, type Engine, listItems, type Query, transformAsset } from '../../src/index.ts'
import { schema, type Shop } from './schema.ts'
declare const engine: Engine<Shop>
`
const inQuery = (parameters: string) => `${imports} listItems(engine, 'articles', { ${parameters} })`
const inFilter = (condition: string) => inQuery(`filter: { ${condition} }`)

describe('a path is completed as far as it goes', () => {
  const own = ['title', 'author', 'comments']
  const ofAuthor = ['author.id', 'author.name', 'author.email', 'author.born', 'author.country']
  const paths = [
    { at: `fields: ['|']`, offers: own },
    { at: `fields: ['id', 'tit|']`, offers: own },
    { at: `fields: '|'`, offers: own },
    { at: `fields: ['author.|']`, offers: ofAuthor },
    { at: `fields: ['id', 'author.|', 'title']`, offers: ofAuthor },
    { at: `fields: ['author.country.|']`, offers: ['author.country.code', 'author.country.name'] },
    {
      at: `fields: ['comments.article.author.|']`,
      offers: ['comments.article.author.name', 'comments.article.author.country'],
    },
    { at: `fields: ['blocks.item:block_hero.|']`, offers: ['blocks.item:block_hero.headline'] },
    { at: `alias: { said: 'comments' }, fields: ['said.|']`, offers: ['said.text', 'said.article'] },
    { at: `sort: ['|']`, offers: ['title', '-title'] },
    { at: `sort: ['author.|']`, offers: ofAuthor },
    { at: `sort: ['-author.|']`, offers: ['-author.name'] },
    { at: `groupBy: ['author.|']`, offers: ofAuthor },
  ]
  it.each(paths)('$at', { timeout }, ({ at, offers }) => {
    expect(editor.offered(inQuery(at))).toEqual(expect.arrayContaining(offers))
  })

  it('behind a relation, its fields alone are offered', { timeout }, () => {
    for (const name of editor.offered(inQuery(`fields: ['author.|']`))) expect(name).toMatch(/^author\./)
  })

  it('parameters, relations and fields of filters are offered', { timeout }, () => {
    expect(editor.offered(inQuery('|'))).toEqual(expect.arrayContaining(['fields', 'filter', 'deep']))
    expect(editor.offered(inQuery('deep: { | }'))).toEqual(expect.arrayContaining(['comments', 'author']))
    expect(editor.offered(inFilter('author: { | }'))).toEqual(
      expect.arrayContaining(['name', 'country', '_eq', '_and']),
    )
  })
})

describe('each word has its sentence', () => {
  it.each(Object.entries(operators))('the operator %s', { timeout }, (name, { families }) => {
    const known: readonly string[] = families
    const filter = `filter: { ${known.includes('text') ? 'word' : 'place'}: { |${name}: undefined } }`
    expect(editor.shown(`${imports} listItems(engine, 'values', { ${filter} })`).sentence).toBe(
      operatorDocs[name as OperatorName],
    )
  })
  it.each(Object.entries(quantifierDocs))('the quantifier %s', { timeout }, (name, doc) => {
    expect(editor.shown(inFilter(`comments: { |${name}: {} }`)).sentence).toBe(doc)
  })
  it.each(Object.entries(junctionDocs))('the junction %s', { timeout }, (name, doc) => {
    expect(editor.shown(inFilter(`|${name}: []`)).sentence).toBe(doc)
    expect(editor.shown(inFilter(`title: { |${name}: [] }`)).sentence).toBe(doc)
  })
  it.each(Object.entries(aggregateDocs))('the aggregate %s', { timeout }, (name, doc) => {
    expect(editor.shown(inQuery(`aggregate: { |${name}: [] }`)).sentence).toBe(doc)
    expect(editor.shown(inQuery(`having: { |${name}: {} }`)).sentence).toBe(doc)
  })

  const places = [
    inQuery('|fields: []'),
    inQuery('|sort: []'),
    inQuery('|having: {}'),
    inQuery('deep: { comments: { |_filter: {} } }'),
    inQuery('deep: { comments: { |_sort: [] } }'),
    inQuery('deep: { comments: { |_limit: 1 } }'),
    `${imports} const query: Query<Shop, 'articles'> = { |groupBy: [] }`,
    `${imports} listItems(engine, 'articles', {}, { |timeoutMs: 5 })`,
    `${imports} deleteItems(engine, 'articles', { |query: {} })`,
    `${imports} deleteItems(engine, 'articles', [1], {}, { |maxAffected: 5 })`,
    `${imports} createEngine({ db: engine.db, schema, |limits: {} })`,
    `${imports} createEngine({ db: engine.db, schema, |defaultFields: 'all' })`,
    `${imports} createEngine({ db: engine.db, schema, limits: { |defaultLimit: 5 } })`,
    `${imports} engine.as({ |rules: {} })`,
    `${imports} engine.as({ rules: { articles: { read: { |presets: {} } } } })`,
    `${imports} transformAsset(engine, '', { |fit: 'cover' })`,
  ]
  it.each(places.map((place) => [place.slice(imports.length + 1), place]))('%s', { timeout }, (_, place) => {
    expect(editor.shown(place).sentence).toMatch(/^[A-Z].*\.$/s)
  })
})

it('an engine is shown by the name of its schema', { timeout }, () => {
  const named = `${imports} type Described = typeof schema
interface Bookshop extends Described {}
const shop = createEngine<Bookshop>({ db: engine.db, schema })\n`
  expect(editor.shown(`${named}|shop`).type).toBe('const shop: Engine<Bookshop>')
  expect(editor.shown(`${named}const |mine = shop.as({})`).type).toBe('const mine: NarrowedEngine<Bookshop>')
  const list = `${named}const |titles = listItems(shop, 'articles', { fields: ['author.name'] })`
  expect(editor.shown(list).type).toMatch(/author: \{\s*name: string;\s*\}/)
})
