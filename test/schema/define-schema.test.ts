import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { isEngineError } from '../../src/errors/errors.ts'
import { defineSchema } from '../../src/schema/define-schema.ts'
import type { SchemaDefinition } from '../../src/schema/definition.ts'
import { type Collection, type Field, isToMany, soleKeyOf } from '../../src/schema/model.ts'
import { fieldTypes } from '../../src/types/field-types.ts'
import { across, integer, key, many, maybeOne, one, string } from '../support/fields.ts'
import { rowsOf } from '../support/titled.ts'
import { schema } from '../types/schema.ts'

/** All that is said about a definition that must be refused: sentence, path and hint. */
function mistakes(
  definition: unknown,
): readonly [string, readonly (string | number)[] | undefined, string?][] {
  try {
    // What is wrong here is wrong for the compiler too.
    defineSchema(definition as SchemaDefinition as never)
  } catch (error) {
    if (!isEngineError(error)) throw error
    expect(error).toMatchObject({ code: 'INVALID_SCHEMA', status: 500 })
    return (error.errors ?? [error]).map(({ message, path, hint }) =>
      hint === undefined ? [message, path] : [message, path, hint],
    )
  }
  throw new Error('the definition was accepted')
}

const id = { type: 'integer', key: true } as const
/** A definition of one collection, `posts`, with a key and what is given. */
const posts = (fields: object, options: object = {}) => ({ posts: { ...options, fields: { id, ...fields } } })
const inPosts = (field: string, ...rest: (string | number)[]) => ['posts', 'fields', field, ...rest]

function collectionNamed(name: string): Collection {
  const found = schema.collections.get(name)
  if (!found) throw new Error(`no collection ${name}`)
  return found
}

function fieldNamed(collection: string, name: string): Field {
  const found = collectionNamed(collection).fields.get(name)
  if (!found) throw new Error(`no field ${name}`)
  return found
}

describe('the model of a schema', () => {
  test('has collections and fields in the order in which they are described', () => {
    expect([...schema.collections.keys()]).toEqual(Object.keys(schema.definition))
    for (const [name, { fields }] of Object.entries(schema.definition)) {
      expect([...collectionNamed(name).fields.keys()]).toEqual(Object.keys(fields))
    }
  })

  test('leads from every field to its collection and back', () => {
    for (const collection of schema.collections.values()) {
      for (const [name, field] of collection.fields) {
        expect(field.name).toBe(name)
        expect(field.collection).toBe(collection)
      }
    }
  })

  test('has each thing once, however it is reached', () => {
    for (const collection of schema.collections.values()) {
      expect(collection.fields.get(soleKeyOf(collection).name)).toBe(collection.key)
      if (collection.sortField)
        expect(collection.fields.get(collection.sortField.name)).toBe(collection.sortField)
      for (const field of collection.fields.values()) {
        if (field.kind === 'm2o') expect(schema.collections.get(field.target.name)).toBe(field.target)
        if (field.kind === 'any') expect(collection.fields.get(field.by.name)).toBe(field.by)
        if (!isToMany(field)) continue
        expect(schema.collections.get(field.target.name)).toBe(field.target)
        expect(field.target.fields.get(field.foreign.name)).toBe(field.foreign)
        if (field.sort) expect(field.target.fields.get(field.sort.name)).toBe(field.sort)
        if (field.kind !== 'o2m') expect(field.target.fields.get(field.far.name)).toBe(field.far)
      }
    }
  })

  test('names table and columns as the fields, unless they are given', () => {
    const made = defineSchema({
      posts: {
        table: 'wp_posts',
        dbSchema: 'blog',
        singleton: true,
        versioned: true,
        sortField: 'rank',
        note: 'Posts.',
        fields: {
          id: { type: 'integer', key: true, column: 'ID' },
          rank: { type: 'integer', nullable: true, note: 'Rank.' },
          parent: { type: 'm2o', to: 'posts', column: 'parent_id', nullable: true },
        },
      },
    })
    const [collection] = made.collections.values()
    expect(collection).toMatchObject({
      name: 'posts',
      table: 'wp_posts',
      dbSchema: 'blog',
      isSingleton: true,
      isVersioned: true,
      note: 'Posts.',
      key: { name: 'id', column: 'ID', isKey: true, isUnique: true, isNullable: false },
      sortField: {
        name: 'rank',
        column: 'rank',
        isKey: false,
        isUnique: false,
        isNullable: true,
        note: 'Rank.',
      },
    })
    expect(collection?.fields.get('parent')).toMatchObject({
      kind: 'm2o',
      column: 'parent_id',
      target: collection,
    })
  })

  test('fills in the defaults of a field', () => {
    expect(fieldNamed('values', 'word')).toMatchObject({
      kind: 'scalar',
      column: 'word',
      isNullable: false,
      isKey: false,
      isUnique: false,
      isReadonly: false,
      isConcealed: false,
      isGenerated: false,
      isSearchable: true,
      special: [],
      default: undefined,
      validation: undefined,
      value: { type: 'string', family: 'text', isArray: false, values: undefined },
    })
    expect(fieldNamed('values', 'secret')).toMatchObject({ isConcealed: true })
    expect(fieldNamed('values', 'numbers')).toMatchObject({
      value: { type: 'integer', family: 'json', isArray: true },
    })
    expect(fieldNamed('values', 'price')).toMatchObject({
      value: { family: 'decimal', precision: 9, scale: 2 },
    })
    expect(fieldNamed('values', 'place')).toMatchObject({ value: { family: 'geometry', srid: 4326 } })
    expect(fieldNamed('articles', 'status')).toMatchObject({
      default: 'draft',
      value: { values: ['draft', 'published'] },
    })
  })

  test('gives a many-to-one field the type of its target’s key, through keys that are relations themselves', () => {
    expect(fieldNamed('authors', 'country')).toMatchObject({ value: { type: 'string', length: 2 } })
    expect(fieldNamed('profiles', 'author')).toMatchObject({ isKey: true, value: { type: 'integer' } })
    expect(fieldNamed('badges', 'profile')).toMatchObject({ value: { type: 'integer' } })
    expect(fieldNamed('articles', 'badge')).toMatchObject({ value: { type: 'integer' } })
    expect(collectionNamed('badges').key?.kind).toBe('m2o')
  })

  test('links relations of every kind', () => {
    expect(fieldNamed('articles', 'comments')).toMatchObject({
      kind: 'o2m',
      target: { name: 'comments' },
      foreign: { name: 'article' },
      deselect: 'delete',
      sort: undefined,
    })
    expect(fieldNamed('articles', 'tags')).toMatchObject({
      kind: 'm2m',
      target: { name: 'articles_tags' },
      foreign: { name: 'articles_id' },
      far: { kind: 'm2o', name: 'tags_id', target: { name: 'tags' } },
      deselect: 'nullify',
    })
    const blocks = fieldNamed('articles', 'blocks')
    expect(blocks).toMatchObject({
      kind: 'm2a',
      sort: { name: 'sort' },
      far: { kind: 'any', by: { name: 'collection' } },
    })
    expect(blocks.kind === 'm2a' && [...blocks.far.targets.keys()]).toEqual(['block_hero', 'block_text'])
  })

  test('may lead a collection to itself', () => {
    const { collections } = defineSchema({
      posts: {
        fields: {
          id: key,
          parent: maybeOne('posts'),
          children: { type: 'o2m', from: 'posts.parent', sort: 'id' },
          related: across('related.a', 'b'),
        },
      },
      related: { fields: { id: key, a: one('posts'), b: one('posts') } },
    })
    const made = collections.get('posts')
    expect(made?.fields.get('children')).toMatchObject({ target: made, foreign: made?.fields.get('parent') })
    expect(made?.fields.get('related')).toMatchObject({
      foreign: { name: 'a' },
      far: { name: 'b', target: made },
    })
  })

  test('keeps the literal, and cannot be replaced', () => {
    const definition = posts({}) as SchemaDefinition
    const made = defineSchema(definition as never)
    expect(made.definition).toBe(definition)
    expect(Object.isFrozen(made)).toBe(true)
  })

  test.each(Object.keys(fieldTypes))('takes fields of type %s', (type) => {
    const more = ['other', 'opaque'].includes(type) ? { databaseType: 'inet' } : {}
    const made = defineSchema(posts({ field: { type, nullable: true, ...more } }) as never)
    expect(made.collections.get('posts')?.fields.get('field')).toMatchObject({ value: { type } })
  })
})

describe('names', () => {
  const strange = [
    "it's",
    'say "hi"',
    'back`tick',
    'select',
    'table',
    'order by',
    'a;b--',
    '0',
    'Ünïcödé',
    '名前',
    'é'.repeat(31),
    '🎉'.repeat(15),
    'x'.repeat(255),
    'hasOwnProperty',
    'toString',
    'valueOf',
    'length',
    'name',
    'then',
    'a[b]',
    'a%b',
    'a\\b',
    'a?b',
    'a$b',
    'filter',
  ]
  test.each(strange)('%s is a legal name', (name) => {
    const made = defineSchema({
      [name]: { fields: { [name]: key, up: one(name), down: many(`${name}.up`) } },
    } as never)
    const collection = made.collections.get(name)
    expect(collection).toMatchObject({ name, table: name, key: { name, column: name } })
    expect(collection?.fields.get('down')).toMatchObject({ target: collection })
  })

  const wrong = Object.entries({
    'is empty': [''],
    'is a reserved word of JavaScript': ['__proto__', 'constructor', 'prototype'],
    'begins or ends with a blank': [' a', 'a\n'],
    'begins with "_", "$" or "-", which queries use for themselves': ['_a', '$a', '-a'],
    'holds one of . , ( ) : *, which queries use for themselves': ['a.b', 'a,b', 'a(b)', 'a:b', '*'],
    'holds a control character': ['a\u0000b', 'a\ud800b'],
    'is longer than 255 bytes': ['x'.repeat(256), 'é'.repeat(128)],
  }).flatMap(([why, names]) => names.map((name) => [name, why] as const))
  /** JSON.parse makes an own property of every name; a literal would set the prototype. */
  const under = (name: string, value: unknown) =>
    JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)

  test.each(wrong)('%j is none for a collection', (name, why) => {
    const told = mistakes(under(name, { fields: { id } }))
    expect(told).toHaveLength(1)
    expect(told[0]?.[0]).toMatch(/^Collection ".*: its name /s)
    expect(told[0]?.[0]).toContain(`its name ${why}.`)
  })

  test.each(wrong)('%j is none for a field', (name, why) => {
    const told = mistakes({
      posts: { fields: { id } },
      other: { fields: Object.assign(under(name, { type: 'string' }), { id }) },
    })
    expect(told).toHaveLength(1)
    expect(told[0]?.[0]).toMatch(/^Field ".* of collection "other": its name /s)
    expect(told[0]?.[0]).toContain(`its name ${why}.`)
    expect(told[0]?.[2]).toBe('Give the field another name, and the column with the option "column".')
  })

  test('of columns and tables are free, except for what no database takes', () => {
    defineSchema(posts({ a: { type: 'string', column: '__proto__' } }, { table: '-x.y(z)' }) as never)
    expect(mistakes(posts({ a: { type: 'string', column: 'a\u0000b' } }))).toHaveLength(1)
    expect(mistakes(posts({}, { table: '\u0000' }))).toHaveLength(1)
    expect(mistakes(posts({}, { dbSchema: 'a\ud800' }))).toHaveLength(1)
  })
})

describe('what is no definition', () => {
  test.each([undefined, null, 5, 'x', [], [{ fields: { id } }], new Map()])('%s', (given) => {
    expect(mistakes(given)).toEqual([['A schema is an object of collections.', []]])
  })

  test('nothing at all', () => {
    expect(mistakes({})).toEqual([['A schema needs at least one collection.', []]])
  })

  test.each([
    [null, 'Collection "posts" is an object with "fields".', ['posts']],
    ['x', 'Collection "posts" is an object with "fields".', ['posts']],
    [{}, 'Collection "posts": the option "fields" takes an object of fields.', ['posts', 'fields']],
    [
      { fields: [] },
      'Collection "posts": the option "fields" takes an object of fields.',
      ['posts', 'fields'],
    ],
    [{ fields: {} }, 'Collection "posts" has no fields.', ['posts', 'fields']],
  ])('the collection %j', (collection, message, path) => {
    expect(mistakes({ posts: collection })).toEqual([[message, path]])
  })

  test('a type in the place of the field', () => {
    expect(mistakes(posts({ title: 'string' }))).toEqual([
      ['Field "title" of collection "posts" has no type.', inPosts('title'), "Write { type: 'string' }."],
    ])
  })

  test.each([null, {}, { type: 5 }, []])('the field %j', (field) => {
    expect(mistakes(posts({ title: field }))).toEqual([
      ['Field "title" of collection "posts" has no type.', inPosts('title')],
    ])
  })
})

describe('options', () => {
  const storage =
    ': only dates, times and timestamps have the option "storage"; a boolean takes "canonical", a decimal "text", a uuid "text" or "binary", string and text take "mixed".'
  const texts = 'takes a list of texts.'
  const notAmong = 'is not among "values".'
  const onlyOf = (type: string, option: string) => `: only ${type} fields have the option "${option}".`

  test.each([
    ['an unknown type', { type: 'strng' }, 'type', ': there is no type "strng".', 'string'],
    ['a type of another world', { type: 'toString' }, 'type', ': there is no type "toString".', 'string'],
    [
      'an unknown option',
      { type: 'string', nulable: true },
      'nulable',
      ': there is no option "nulable".',
      'nullable',
    ],
    [
      'an option of another type',
      { type: 'o2m', from: 'a.b', column: 'x' },
      'column',
      ': there is no option "column".',
    ],
    ['a flag that is none', { type: 'string', nullable: 'yes' }, 'nullable', 'takes true or false.'],
    ['an empty column', { type: 'string', column: '' }, 'column', 'takes text that is not empty.'],
    ['a size that is none', { type: 'string', length: -1 }, 'length', 'takes a whole number of 0 or more.'],
    ['a half size', { type: 'decimal', scale: 1.5 }, 'scale', 'takes a whole number of 0 or more.'],
    [
      'an unknown storage',
      { type: 'date', storage: 'txt' },
      'storage',
      'takes one of text, canonical, sql, seconds, milliseconds, native, mixed, binary.',
    ],
    [
      'an unknown special',
      { type: 'uuid', special: ['uid'] },
      'special.0',
      'takes a list of uuid, date-created, date-updated, user-created, user-updated.',
    ],
    ['values that are no texts', { type: 'string', values: [1] }, 'values.0', texts],
    ['no values', { type: 'string', values: [] }, 'values', texts],
    ['a validation that is no filter', { type: 'string', validation: 'x' }, 'validation', 'takes a filter.'],
    ['a schema that is none', { type: 'json', schema: 'x' }, 'schema', 'takes a Standard Schema validator.'],
    ['an object that is none', { type: 'json', schema: {} }, 'schema', 'takes a Standard Schema validator.'],
    ['a relation to nothing', { type: 'm2o' }, 'to', 'takes the name of a collection.'],
    ['a way back to nothing', { type: 'o2m' }, 'from', 'takes collection.field.'],
    [
      'a way through nothing',
      { type: 'm2m', to: 'b' },
      'through',
      "takes collection.field: { through: 'articles_tags.article', to: 'tag' }.",
    ],
    [
      'a way through to nothing',
      { type: 'm2a', through: 'a.b' },
      'to',
      'takes the name of a field of the junction.',
    ],
    [
      'a deselection that is none',
      { type: 'o2m', from: 'a.b', deselect: 'drop' },
      'deselect',
      'takes one of nullify, delete.',
    ],
    ['references to one', { type: 'any', to: 'a', by: 'b' }, 'to', 'takes a list of names of collections.'],
    ['references to none', { type: 'any', to: [], by: 'b' }, 'to', 'takes a list of names of collections.'],
    [
      'references by nothing',
      { type: 'any', to: ['posts'] },
      'by',
      'takes the name of a string field beside it.',
    ],
    ['storage of a text', { type: 'string', storage: 'text' }, 'storage', storage],
    ['seconds of a decimal', { type: 'decimal', storage: 'seconds' }, 'storage', storage],
    [
      'values of a number',
      { type: 'integer', values: ['a'] },
      'values',
      ': only string and text fields have the option "values".',
    ],
    ['a storage of a boolean', { type: 'boolean', storage: 'text' }, 'storage', storage],
    ['values twice', { type: 'string', values: ['a', 'a'] }, 'values', 'holds a text twice.'],
    [
      'an enum without values',
      { type: 'string', enumType: 'x' },
      'enumType',
      'needs "values", the labels of the enum.',
    ],
    ['a default beside the values', { type: 'string', values: ['a'], default: 'b' }, 'default', notAmong],
    ['a default that is no text', { type: 'string', values: ['5'], default: 5 }, 'default', notAmong],
    [
      'a default list beside the values',
      { type: 'string', array: true, values: ['a'], default: ['a', 'b'] },
      'default',
      notAmong,
    ],
    [
      'a default beside that of the database',
      { type: 'string', defaulted: true, default: 'x' },
      'defaulted',
      ': it has a default here, so the one of the database is never used.',
    ],
    [
      'a default of a generated field',
      { type: 'string', generated: true, default: 'x' },
      'generated',
      ': a generated field has no default.',
    ],
    ['the place of a text', { type: 'string', srid: 4326 }, 'srid', onlyOf('geometry', 'srid')],
    ['the encoding of a text', { type: 'string', encoding: 'hex' }, 'encoding', onlyOf('binary', 'encoding')],
    ['an unknown encoding', { type: 'binary', encoding: 'base32' }, 'encoding', 'takes one of base64, hex.'],
    ['the width of a text of digits', { type: 'bigInteger', wide: true }, 'wide', onlyOf('integer', 'wide')],
    [
      'the date of a text',
      { type: 'string', special: ['date-created'] },
      'special',
      ': the specials "date-created" and "date-updated" need a date, time or timestamp.',
    ],
    ['the schema of a text', { type: 'string', schema: z.string() }, 'schema', onlyOf('json', 'schema')],
  ] as [string, object, string, string, string?][])('%s is refused', (_what, field, path, says, near) => {
    const [told, ...others] = mistakes({ ...posts({ field }) })
    const [option = '', at] = path.split('.')
    const said = says.startsWith(':') ? says : `: the option "${option}" ${says}`
    expect(others).toEqual([])
    expect(told?.[0]).toBe(`Field "field" of collection "posts"${said}`)
    expect(told?.[1]).toEqual(inPosts('field', option, ...(at === undefined ? [] : [Number(at)])))
    if (near) expect(told?.[2]).toBe(`Did you mean "${near}"?`)
  })

  test.each([
    [{ singelton: true }, ': there is no option "singelton".', ['singelton'], 'Did you mean "singleton"?'],
    [{ singleton: 1 }, ': the option "singleton" takes true or false.', ['singleton']],
    [{ table: '' }, ': the option "table" takes text that is not empty.', ['table']],
    [{ note: 5 }, ': the option "note" takes text.', ['note']],
  ])('%j of a collection is refused', (options, says, path, hint?: string) => {
    const told = [`Collection "posts"${says}`, ['posts', ...path]]
    expect(mistakes(posts({}, options))).toEqual([hint === undefined ? told : [...told, hint]])
  })

  test('the options of one type are not suggested for another', () => {
    const [mistake] = mistakes(posts({ field: { type: 'm2o', to: 'posts', fro: 'x' } }))
    expect(mistake?.[0]).toContain('there is no option "fro"')
    expect(mistake?.[2] ?? '').not.toMatch(/"from"/)
  })

  test('lists of values may have a default of several', () => {
    defineSchema(
      posts({ sizes: { type: 'string', array: true, values: ['s', 'm'], default: ['s', 'm'] } }) as never,
    )
    defineSchema(posts({ sizes: { type: 'string', array: true, values: ['s', 'm'], default: [] } }) as never)
  })
})

describe('keys that are the numbers of rows', () => {
  const id = { type: 'integer', key: true, rowNumber: true } as const

  test.each([
    [{ ...id, key: undefined, type: 'integer' }],
    [{ ...id, type: 'string' }],
    [{ ...id, type: 'uuid' }],
  ])('are whole numbers, and keys: %o is none', (field) => {
    const given = { visits: { fields: { other: integer, number: field } } }
    expect(() => defineSchema(JSON.parse(JSON.stringify(given)))).toThrow(
      'only the key of a collection can be the number of a row, as integer or bigInteger.',
    )
  })

  test('name no versions', () => {
    expect(() => defineSchema({ visits: { versioned: true, fields: { id } } })).toThrow(
      'has versions, and for its key the numbers of rows, which the database may change',
    )
  })
})

describe('keys of several parts', () => {
  const orders = { fields: { id } }
  const parts = { order: { type: 'm2o', to: 'orders' }, number: { type: 'integer' } }
  /** Collections of orders and lines, and what is given of the lines. */
  const lines = (own: object, fields: object = {}) => ({
    orders,
    lines: { ...own, fields: { ...parts, ...fields } },
  })

  test('are named in the order of the key', () => {
    const { collections } = defineSchema({
      orders: { fields: { id } },
      lines: { key: ['number', 'order'], fields: { order: one('orders'), number: integer } },
      parcels: {
        fields: {
          id,
          a: maybeOne('orders'),
          n: integer,
          line: { type: 'm2o', to: 'lines', by: ['n', 'a'], note: 'what is in it' },
        },
      },
    })
    const key = collections.get('lines')?.key
    const link = collections.get('parcels')?.fields.get('line')
    expect(key).toMatchObject({ kind: 'key', parts: [{ name: 'number' }, { name: 'order' }] })
    expect(
      key && 'parts' in key && key.parts.map((part) => [part.isKey, part.isUnique, part.value.isWide]),
    ).toEqual([
      [true, false, true],
      [true, false, true],
    ])
    expect(link).toMatchObject({ kind: 'm2o', isNullable: true, parts: [{ name: 'n' }, { name: 'a' }] })
    expect(link && 'target' in link && link.target).toBe(collections.get('lines'))
  })

  test('with one name are the key of that field', () => {
    const { collections } = defineSchema({ tags: { key: ['id'], fields: { id: integer } } })
    expect(collections.get('tags')?.key).toMatchObject({
      kind: 'scalar',
      name: 'id',
      isKey: true,
      isUnique: true,
    })
  })

  const noNames = ': the option "key" takes a list of names of fields, each once, or false.'
  const noPart = ' has "b" in its key, whose type cannot be in one.'
  const noField = (name: string) => ` has "key" "${name}", which is no field with a column.`

  test.each(
    rowsOf({
      'a name that is none': [lines({ key: ['order', 'nummer'] }), noField('nummer')],
      'a name twice': [lines({ key: ['order', 'order'] }), noNames],
      'no names': [lines({ key: [] }), noNames],
      'a text': [lines({ key: 'order' }), noNames],
      'what may be null': [
        lines({ key: ['order', 'b'] }, { b: { type: 'integer', nullable: true } }),
        ' has "b" in its key, which is nullable.',
      ],
      'what has no order': [lines({ key: ['order', 'b'] }, { b: { type: 'json' } }), noPart],
      'a list': [lines({ key: ['order', 'b'] }, { b: { type: 'integer', array: true } }), noPart],
      'a relation to many': [
        lines({ key: ['order', 'b'] }, { b: { type: 'o2m', from: 'lines.order' } }),
        noField('b'),
      ],
      'a field that is marked besides': [
        lines({ key: ['order', 'number'] }, { number: { type: 'integer', key: true } }),
        ' says twice what its key is: in "key", and by "key: true" of "number".',
      ],
    }),
  )('refuse %s', (_, definition, message) => {
    expect(mistakes(definition).map(([said]) => said)).toContain(`Collection "lines"${message}`)
  })

  const referring = (link: object, fields: object = {}) => ({
    ...lines({ key: ['order', 'number'] }),
    log: { key: false, fields: { at: { type: 'date' } } },
    parcels: {
      fields: {
        id,
        o: integer,
        n: integer,
        t: string,
        ...fields,
        line: { type: 'm2o', to: 'lines', ...link },
      },
    },
  })

  test.each(
    rowsOf({
      'no fields for it': [
        {},
        'needs "by" to name the fields that hold the key of "lines", one for each of its parts.',
      ],
      'too few fields': [
        { by: ['o'] },
        'needs "by" to name 2 fields, one for each part of the key of "lines" ("order", "number"), not 1.',
      ],
      'a field that is none': [
        { by: ['o', 'm'] },
        'has "by" "m", which is no field with a column beside it.',
      ],
      itself: [{ by: ['o', 'line'] }, 'has "by" "line", which is no field with a column beside it.'],
      'another type': [
        { by: ['o', 't'] },
        'has "t" in "by", which is of another type than "number" of "lines".',
      ],
      'a column': [
        { by: ['o', 'n'], column: 'x' },
        ': it has no column of its own; the fields in "by" have the option "column".',
      ],
      'being nullable itself': [
        { by: ['o', 'n'], nullable: true },
        ': it has no column of its own; the fields in "by" have the option "nullable".',
      ],
      'a key of one field': [
        { by: ['o'], to: 'orders' },
        'has "by", and the key of "orders" is of one column.',
      ],
      'no key': [{ by: ['o', 'n'], to: 'log' }, 'leads to "log", which has no key.'],
      'no key, by a column': [{ to: 'log' }, 'leads to "log", which has no key.'],
    }),
  )('are not referred to by %s', (_, link, says) => {
    const told = mistakes(referring(link)).map(([said]) =>
      said.replace('Field "line" of collection "parcels"', '').trim(),
    )
    expect(told).toEqual([says])
  })

  test('are not referred to by what is stored in another form', () => {
    const days = (form: object) => ({ type: 'date', ...form })
    const of = (own: object, held: object) => ({
      days: { key: ['day', 'place'], fields: { day: days(own), place: string } },
      events: { fields: { id, d: days(held), p: string, on: { type: 'm2o', to: 'days', by: ['d', 'p'] } } },
    })
    const says =
      'Field "on" of collection "events" has "d" in "by", which is stored in another form than "day" of "days".'
    expect(mistakes(of({}, { storage: 'seconds' })).map(([said]) => said)).toEqual([says])
    expect(mistakes(of({ storage: 'text' }, {})).map(([said]) => said)).toEqual([says])
    defineSchema(of({ storage: 'native' }, {}) as SchemaDefinition)
  })

  test('are led to from many, and through junctions', () => {
    const { collections } = defineSchema({
      orders: { fields: { id, products: across('lines.order', 'product') } },
      products: { fields: { id } },
      lines: {
        key: ['order', 'product'],
        fields: {
          order: one('orders'),
          product: one('products'),
          marks: many('marks.line'),
          tags: across('marks.line', 'tag'),
        },
      },
      tags: { key: ['kind', 'name'], fields: { kind: string, name: string } },
      marks: {
        key: ['o', 'p', 'kind', 'name'],
        fields: {
          o: integer,
          p: integer,
          kind: string,
          name: string,
          line: { type: 'm2o', to: 'lines', by: ['o', 'p'] },
          tag: { type: 'm2o', to: 'tags', by: ['kind', 'name'] },
        },
      },
    })
    const marks = collections.get('marks')
    expect(collections.get('orders')?.fields.get('products')).toMatchObject({
      foreign: { name: 'order' },
      far: { name: 'product' },
    })
    expect(collections.get('lines')?.fields.get('marks')).toMatchObject({
      foreign: marks?.fields.get('line'),
    })
    expect(collections.get('lines')?.fields.get('tags')).toMatchObject({ far: marks?.fields.get('tag') })
  })

  test('are needed by versions', () => {
    expect(mistakes({ log: { versioned: true, fields: { at: { type: 'date' } } } })).toEqual([
      ['Collection "log" has versions and no key to identify its items.', ['log', 'versioned']],
    ])
  })

  test('are no target of references to any collection where there is none', () => {
    const fields = { id, kind: { type: 'string' }, item: { type: 'any', to: ['log'], by: 'kind' } }
    expect(
      mistakes({ log: { key: false, fields: { at: { type: 'date' } } }, things: { fields } }).map(
        ([said]) => said,
      ),
    ).toEqual(['Field "item" of collection "things" leads to "log", which has no key.'])
  })
})

describe('keys', () => {
  test('are one', () => {
    expect(mistakes(posts({ other: { type: 'integer', key: true } }))).toEqual([
      [
        'Collection "posts" has 2 keys ("id", "other"); it may have one.',
        ['posts'],
        'Write key: ["id", "other"] beside "fields" if they identify an item together.',
      ],
    ])
  })

  test.each(['integer', 'm2o'])('of type %s are never null', (type) => {
    const told = mistakes({
      ...posts({}),
      other: { fields: { id: { type, key: true, nullable: true, ...(type === 'm2o' && { to: 'posts' }) } } },
    })
    expect(told).toEqual([
      ['Field "id" of collection "other": a key cannot be nullable.', ['other', 'fields', 'id', 'key']],
    ])
  })

  test.each(['json', 'csv', 'hash', 'geometry', 'geometry.Point', 'boolean'])(
    'are not of type %s',
    (type) => {
      expect(mistakes({ posts: { fields: { id: { type, key: true } } } })).toEqual([
        ['Field "id" of collection "posts": a field of this type cannot be a key.', inPosts('id', 'key')],
      ])
    },
  )

  test('are no lists', () => {
    expect(mistakes({ posts: { fields: { id: { type: 'integer', array: true, key: true } } } })).toHaveLength(
      1,
    )
  })

  test('do not lead in a circle', () => {
    const linked = (to: string) => ({ fields: { id: { type: 'm2o', to, key: true } } })
    const says = 'is a key that leads into a circle of keys.'
    expect(mistakes({ a: linked('a') })).toEqual([
      [`Field "id" of collection "a" ${says}`, ['a', 'fields', 'id', 'to']],
    ])
    expect(
      mistakes({ a: linked('b'), b: linked('c'), c: linked('b'), d: { fields: { id, x: one('a') } } }),
    ).toEqual(
      ['a', 'b', 'c'].map((name) => [
        `Field "id" of collection "${name}" ${says}`,
        [name, 'fields', 'id', 'to'],
      ]),
    )
  })

  test('that lead in a circle are told beside other mistakes', () => {
    const told = mistakes({ a: { fields: { id: { type: 'm2o', to: 'a', key: true }, b: one('nope') } } })
    expect(told).toHaveLength(2)
  })
})

describe('relations', () => {
  const others = {
    users: { fields: { id, name: string, kind: string, tags: { type: 'string', array: true } } },
    junction: {
      fields: {
        id,
        post: one('posts'),
        user: one('users'),
        label: string,
        item: { type: 'any', to: ['users', 'posts'], by: 'label' },
      },
    },
  }
  const withField = (field: object) => ({ ...posts({ field }), ...others })
  const noCollection = (option: string, name: string) => `has "${option}" "${name}", which is no collection.`
  const notStored = (option: string, name: string, of: string) =>
    `has "${option}" "${name}", which is no stored field of "${of}".`
  const noRoute = (option: string, name: string) =>
    `needs "${option}" in the form collection.field; "${name}" is not.`
  const noWayBack = (option: string, name: string) =>
    `needs "${option}" to name a many-to-one field that points to "posts"; "${name}" is none.`
  const noWayOn = (name: string) => `needs "to" to name a many-to-one field of "junction"; "${name}" is none.`
  const noName = (name: string) => `needs "by" to name a string field beside it; "${name}" is none.`

  test.each(
    rowsOf({
      'to no collection': [
        { type: 'm2o', to: 'user' },
        noCollection('to', 'user'),
        'to',
        'Did you mean "users"?',
      ],
      'to nothing alike': [{ type: 'm2o', to: 'nothing' }, noCollection('to', 'nothing'), 'to'],
      'to the words of the language': [
        { type: 'm2o', to: 'constructor' },
        noCollection('to', 'constructor'),
        'to',
      ],
      'from no route': [{ type: 'o2m', from: 'junction' }, noRoute('from', 'junction'), 'from'],
      'from no collection': [
        { type: 'o2m', from: 'juncton.post' },
        noCollection('from', 'juncton'),
        'from',
        'Did you mean "junction"?',
      ],
      'from no field': [
        { type: 'o2m', from: 'junction.posts' },
        notStored('from', 'posts', 'junction'),
        'from',
        'Did you mean "post"?',
      ],
      'from a scalar': [{ type: 'o2m', from: 'junction.label' }, noWayBack('from', 'junction.label'), 'from'],
      'from a field that points elsewhere': [
        { type: 'o2m', from: 'junction.user' },
        noWayBack('from', 'junction.user'),
        'from',
      ],
      'from a reference to any': [
        { type: 'o2m', from: 'junction.item' },
        noWayBack('from', 'junction.item'),
        'from',
      ],
      'from the words of the language': [
        { type: 'o2m', from: 'junction.constructor' },
        notStored('from', 'constructor', 'junction'),
        'from',
      ],
      'sorted by nothing': [
        { type: 'o2m', from: 'junction.post', sort: 'lable' },
        notStored('sort', 'lable', 'junction'),
        'sort',
        'Did you mean "label"?',
      ],
      'sorted by a relation': [
        { type: 'o2m', from: 'posts.parent', sort: 'field' },
        notStored('from', 'parent', 'posts'),
        'from',
      ],
      'through no route': [
        { type: 'm2m', through: '.post', to: 'user' },
        noRoute('through', '.post'),
        'through',
      ],
      'through a wrong field': [
        { type: 'm2m', through: 'junction.label', to: 'user' },
        noWayBack('through', 'junction.label'),
        'through',
      ],
      'through to nothing': [{ type: 'm2m', through: 'junction.post', to: 'usr' }, noWayOn('usr'), 'to'],
      'through to a scalar': [{ type: 'm2m', through: 'junction.post', to: 'label' }, noWayOn('label'), 'to'],
      'through to any': [{ type: 'm2m', through: 'junction.post', to: 'item' }, noWayOn('item'), 'to'],
      'through and back again': [
        { type: 'm2m', through: 'junction.post', to: 'post' },
        'needs "to" to name another field of "junction" than "through" does.',
        'to',
      ],
      'through to one instead of any': [
        { type: 'm2a', through: 'junction.post', to: 'user' },
        'needs "to" to name a field of type "any" of "junction"; "user" is none.',
        'to',
      ],
      'to any, by nothing': [{ type: 'any', to: ['users'], by: 'kind' }, noName('kind'), 'by'],
      'to any, by a number': [{ type: 'any', to: ['users'], by: 'id' }, noName('id'), 'by'],
      'to any, by itself': [{ type: 'any', to: ['users'], by: 'field' }, noName('field'), 'by'],
    }),
  )('%s are refused', (_what, field, says, option, hint?: string) => {
    const told = [`Field "field" of collection "posts" ${says}`, inPosts('field', option)]
    expect(mistakes(withField(field))).toEqual([hint === undefined ? told : [...told, hint]])
  })

  test('to any of several name each collection that does not exist', () => {
    const told = mistakes({
      ...posts({
        kind: { type: 'string' },
        field: { type: 'any', to: ['users', 'nope', 'noper'], by: 'kind' },
      }),
      ...others,
    })
    expect(told.map(([message]) => message)).toEqual([
      'Field "field" of collection "posts" has "to" "nope", which is no collection.',
      'Field "field" of collection "posts" has "to" "noper", which is no collection.',
    ])
  })

  test('to any name a collection once', () => {
    const told = mistakes({
      ...posts({ kind: { type: 'string' }, field: { type: 'any', to: ['users', 'users'], by: 'kind' } }),
      ...others,
    })
    expect(told).toEqual([
      [
        'Field "field" of collection "posts": the option "to" names a collection twice.',
        inPosts('field', 'to'),
      ],
    ])
  })

  test('that are wrong themselves are told once, not again where others follow them', () => {
    const told = mistakes({
      ...posts({
        comments: { type: 'o2m', from: 'comments.post' },
        blocks: { type: 'm2a', through: 'blocks.post', to: 'item' },
      }),
      comments: { fields: { id, post: one('post') } },
      blocks: { fields: { id, post: one('posts'), item: { type: 'any', to: ['posts'], by: 'nope' } } },
    })
    expect(told.map(([, path]) => path)).toEqual([
      ['comments', 'fields', 'post', 'to'],
      ['blocks', 'fields', 'item', 'by'],
    ])
  })

  test('do not share a column with another field', () => {
    const says = 'stands for the column "x", and so does'
    expect(
      mistakes({
        ...posts({
          x: { type: 'string' },
          a: { type: 'string', column: 'x' },
          b: { type: 'm2o', to: 'users', column: 'x' },
          c: { type: 'any', to: ['users'], by: 'x', column: 'x' },
        }),
        ...others,
      }).map(([message, path]) => [message, path?.[2]]),
    ).toEqual(['a', 'b', 'c'].map((name) => [`Field "${name}" of collection "posts" ${says} "x".`, name]))
  })

  test('do not give the order of a collection', () => {
    const told = mistakes({
      ...posts({ children: { type: 'o2m', from: 'junction.post' } }, { sortField: 'children' }),
      ...others,
    })
    expect(told).toEqual([
      ['Collection "posts" has "sortField" "children", which is no stored field.', ['posts', 'sortField']],
    ])
  })
})

describe('several mistakes', () => {
  test('in the literal are reported together', () => {
    const told = mistakes({
      posts: { sngleton: true, verioned: true, fields: { id } },
      users: {
        fields: {
          id,
          a: { type: 'strng' },
          b: { type: 'string', nulable: true, uniqe: true, length: -1 },
          'c.d': string,
        },
      },
      _x: { fields: { id } },
    })
    expect(told.map(([, path]) => path?.join('/'))).toEqual([
      'posts/sngleton',
      'posts/verioned',
      'users/fields/a/type',
      'users/fields/b/nulable',
      'users/fields/b/uniqe',
      'users/fields/b/length',
      'users/fields/c.d',
      '_x',
    ])
  })

  test('among the links are reported together', () => {
    const told = mistakes({
      posts: {
        sortField: 'nope',
        fields: { title: string, author: one('user'), comments: many('comment.post') },
      },
      users: { fields: { id, key: { type: 'string', key: true } } },
    })
    expect(told.map(([message]) => message.replace(/"[^"]*"/g, '…'))).toHaveLength(4)
    expect(new Set(told.map(([, path]) => path?.[0]))).toEqual(new Set(['posts', 'users']))
  })
})

test('a schema of 500 collections with 20 fields each can be defined', () => {
  const definition = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => {
      const scalars = Array.from({ length: 16 }, (_unused, field) => [
        `field_${field}`,
        { type: 'string', nullable: true },
      ])
      const next = `collection_${(index + 1) % 500}`
      const fields = {
        id: { type: 'integer', key: true },
        ...Object.fromEntries(scalars),
        next: { type: 'm2o', to: next, nullable: true },
        previous: { type: 'o2m', from: `collection_${(index + 499) % 500}.next` },
        parent: { type: 'm2o', to: `collection_${index}`, nullable: true },
      }
      return [`collection_${index}`, { fields }]
    }),
  )
  const made = defineSchema(definition as never)
  expect(made.collections.size).toBe(500)
  const fields = [...made.collections.values()].flatMap((collection) => [...collection.fields.values()])
  expect(fields).toHaveLength(10_000)
})

describe('a collection without a key', () => {
  const log = { log: { fields: { line: { type: 'text' } } } } as const
  const warned = vi.spyOn(console, 'warn')
  beforeEach(() => void warned.mockImplementation(() => undefined))
  afterEach(() => warned.mockReset())
  afterAll(() => warned.mockRestore())

  test('is warned of, once, when it is defined', () => {
    const { collections } = defineSchema({ ...log, posts: { fields: { id } } })
    expect(collections.get('log')?.key).toBeUndefined()
    expect(warned.mock.calls).toEqual([
      [
        'Collection "log" has no key, so its items can only be listed. Mark a field with "key: true", or say "key: false" beside "fields" if nothing identifies them.',
      ],
    ])
  })

  test('says so by "key: false", and nothing is warned of', () => {
    const { collections } = defineSchema({ log: { ...log.log, key: false } })
    expect(collections.get('log')?.key).toBeUndefined()
    expect(warned).not.toHaveBeenCalled()
  })

  test('is not warned of where the schema is refused', () => {
    expect(mistakes({ ...log, other: { fields: {} } })).toEqual([
      ['Collection "other" has no fields.', ['other', 'fields']],
    ])
    expect(warned).not.toHaveBeenCalled()
  })

  test('has none marked, nor versions', () => {
    expect(mistakes({ x: { key: false, fields: { id } } })).toEqual([
      ['Collection "x" says that it has no key, and has "key: true" of "id".', ['x', 'key']],
    ])
    expect(mistakes({ x: { key: false, versioned: true, fields: { n: { type: 'text' } } } })).toEqual([
      ['Collection "x" has versions and no key to identify its items.', ['x', 'versioned']],
    ])
    expect(mistakes({ x: { key: true, fields: { id } } })).toEqual([
      [
        'Collection "x": the option "key" takes a list of names of fields, each once, or false.',
        ['x', 'key'],
      ],
    ])
  })
})
