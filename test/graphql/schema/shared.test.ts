// Callers to whom the same names are visible share a schema.
import { GraphQLSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { isRefused, readDocument } from '../../../src/graphql/document/read-document.ts'
import { schemaFor } from '../../../src/graphql/schema/schema-for.ts'
import { schemaSettings } from '../../../src/graphql/schema/schema-options.ts'
import { createGraphQLSchema } from '../../../src/graphql.ts'
import type { Access } from '../../../src/index.ts'
import { key, maybeOne, string } from '../../support/fields.ts'
import { engineOf } from '../engine.ts'

const engine = engineOf({
  articles: { fields: { id: key, title: { type: 'string', note: 'A title.' }, author: maybeOne('authors') } },
  authors: { fields: { id: key, name: string } },
})

const schemaOf = (rules: Access['rules']) => createGraphQLSchema(engine.as({ user: 1, rules: { ...rules } }))
const reading = () => ({ articles: { read: true }, authors: { read: { fields: ['id', 'name'] } } })

describe('documents', () => {
  const partFor = (query: string) => {
    const caller = schemaFor(internalsOf(engine), schemaSettings({}, engine.schema))
    const read = readDocument(query, caller, { tokens: 100, aliases: 10, introspection: true })
    return isRefused(read) ? read : read.schema
  }

  it('that differ in values and aliases only share the part of the schema that they name', () => {
    const part = partFor('{ articles(limit: 1) { one: title } }')
    expect(part).toBeInstanceOf(GraphQLSchema)
    expect(partFor('{ articles(limit: 2) { title two: title } }')).toBe(part)
    expect(partFor('{ articles(limit: 1) { id title } }')).not.toBe(part)
  })
})

describe('callers with equal names', () => {
  it('a thousand with equal rules hold one schema', () => {
    const schemas = Array.from({ length: 1_000 }, (_, user) =>
      createGraphQLSchema(engine.as({ user, rules: reading() })),
    )
    expect(new Set(schemas).size).toBe(1)
  })

  it('share it though the filters of their rules differ, and their validations and presets', () => {
    const base = { ...reading(), articles: { read: true, create: true } }
    const narrow = {
      authors: { read: { fields: ['name', 'id'], filter: { name: 'Ada' } } },
      articles: {
        read: { filter: { author: '$CURRENT_USER' } },
        create: { validation: { title: { _nempty: true } }, presets: { author: 1 } },
      },
    }
    expect(schemaOf(narrow)).toBe(schemaOf(base))
  })

  it.each<[string, Access['rules']]>([
    ['a field', { ...reading(), authors: { read: { fields: ['id'] } } }],
    ['a collection', { articles: { read: true } }],
    ['an action', { ...reading(), authors: { read: { fields: ['id', 'name'] }, delete: true } }],
    [
      'a key that only some rows show',
      { ...reading(), articles: { read: [{ fields: ['title', 'author'] }, { filter: { title: 'a' } }] } },
    ],
  ])('do not share it if they differ in %s', (_, rules) => {
    expect(schemaOf(rules)).not.toBe(schemaOf(reading()))
  })

  it('do not share it if a field must be given by one of them only', () => {
    const creating = { articles: { create: true } }
    const preset = { articles: { create: { presets: { title: 'Untitled' } } } }
    expect(schemaOf(preset)).not.toBe(schemaOf(creating))
  })

  it('do not share it under other names', () => {
    const names = { rename: { articles: 'posts' } }
    const caller = engine.as({ rules: reading() })
    expect(createGraphQLSchema(caller, { names })).not.toBe(createGraphQLSchema(caller))
    expect(createGraphQLSchema(caller, { names })).toBe(createGraphQLSchema(caller, { names: { ...names } }))
  })
})
