// Rules, told in data.
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, explainAccess, type Schema } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { key, maybeOne, string } from '../../support/fields.ts'

const schema: Schema = defineSchema({
  authors: { fields: { id: key, name: string } },
  articles: { fields: { id: key, title: string, author: maybeOne('authors') } },
})
const { db } = await openSqlite()
const engine = createEngine({ db, schema })

describe('explainAccess', () => {
  const mine = engine.as({
    rules: {
      articles: {
        read: [
          { fields: ['id', 'title', 'author'] },
          { fields: ['title'], filter: { title: { _starts_with: 'A' } } },
        ],
        update: {
          filter: { id: 1 },
          fields: ['title'],
          validation: { title: { _nempty: true } },
          presets: { author: 1 },
        },
        delete: false,
      },
    },
  })

  it('tells the host in data what is allowed', () => {
    expect(explainAccess(mine, 'articles', 'read')).toEqual({
      allowed: true,
      fields: { id: 'always', title: 'always', author: 'always' },
      rules: [
        { fields: ['id', 'title', 'author'] },
        { fields: ['title'], filter: { title: { _starts_with: 'A' } } },
      ],
    })
    expect(explainAccess(mine, 'articles', 'update')).toEqual({
      allowed: true,
      fields: { title: 'always' },
      rules: [
        {
          fields: ['title'],
          filter: { id: { _eq: 1 } },
          validation: { title: { _nempty: true } },
          presets: { author: 1 },
        },
      ],
    })
  })

  it('tells what is not allowed', () => {
    const none = { allowed: false, fields: {}, rules: [] }
    expect(explainAccess(mine, 'articles', 'delete')).toEqual(none)
    expect(explainAccess(mine, 'authors', 'read')).toEqual(none)
    expect(explainAccess(engine, 'authors', 'delete')).toMatchObject({ allowed: true })
    expect(() => explainAccess(mine, 'nowhere', 'read')).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND' }),
    )
  })
})
