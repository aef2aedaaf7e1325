// Errors of callers with rules tell nothing that the rules hide: no name, no value, no operand.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createItem,
  type Engine,
  isEngineError,
  listItems,
  type Schema,
  toErrorBody,
  updateItem,
} from '../../../src/index.ts'
import { schema as typed } from '../../conformance/writes/collections.ts'
import { createWriteTables, restored } from '../../conformance/writes/tables.ts'
import { databases } from '../../support/databases.ts'

// Rules name collections by text here.
const schema: Schema = typed

describe.each(databases)('on $name', ({ name, open }) => {
  let engine: Engine<Schema>
  let heard: unknown[]
  beforeEach(async () => {
    const opened = await open()
    await createWriteTables(name, opened.db)
    await restored[name](opened.db)
    heard = []
    engine = createEngine({
      db: opened.db,
      schema,
      variables: { $CURRENT_USER: 'strict' },
      onError: (error) => heard.push(error),
    })
  })

  const told = async (access: Access<Schema>, work: (engine: Engine<Schema>) => Promise<unknown>) => {
    const error: unknown = await work(engine.as(access)).catch((caught: unknown) => caught)
    if (!isEngineError(error)) throw error
    return toErrorBody(error).errors.map(({ message, extensions }) => ({ message, ...extensions }))
  }
  const row = { code: 'CD', state: 'on', author: 1 } as const

  it('a pair that has to be unique points at the part of it that the caller may name', async () => {
    await createItem(engine, 'strict', { ...row, site: 'here', slug: 'secret' })
    const rules = {
      strict: {
        read: { fields: ['id', 'site', 'code'] },
        create: { fields: ['code', 'state', 'author', 'site'], presets: { slug: 'secret' } },
      },
    }
    const [error] = await told({ rules }, (mine) => createItem(mine, 'strict', { ...row, site: 'here' }))
    expect(error).toMatchObject({ code: 'RECORD_NOT_UNIQUE', field: 'site', path: ['site'] })
    expect(JSON.stringify(error)).not.toContain('slug')
  })

  it('what a preset breaks names no field that the caller may not name', async () => {
    const rules = {
      strict: {
        read: { fields: ['id', 'code'] },
        create: { fields: ['code', 'state', 'author'], presets: { positive: -7 } },
      },
    }
    const [error] = await told({ rules }, (mine) => createItem(mine, 'strict', row))
    expect(JSON.stringify(error)).not.toMatch(/positive|-7/)
  })

  it('a validation shows neither its operand nor what is stored', async () => {
    const rules = {
      articles: {
        read: true,
        update: { validation: { views: { _lt: 424242 }, status: { _neq: 'secret' } } },
      },
    }
    await updateItem(engine, 'articles', 1, { status: 'secret' })
    const [error] = await told({ rules }, (mine) => updateItem(mine, 'articles', 1, { views: 555555 }))
    expect(error).toMatchObject({ code: 'FAILED_VALIDATION', field: 'views', type: 'lt', invalid: 555555 })
    expect(JSON.stringify(error)).not.toMatch(/424242|secret/)
  })

  it('a validation of hidden fields says that the rules are not met, and the host hears why', async () => {
    const rules = {
      articles: {
        read: { fields: ['id', 'title'] },
        update: { fields: ['title'], validation: { title: { _nnull: true }, status: '$CURRENT_USER' } },
      },
    }
    const errors = await told({ rules, user: 'nobody' }, (mine) =>
      updateItem(mine, 'articles', 1, { title: 'x' }),
    )
    expect(errors).toEqual([
      {
        message: 'The item of "articles" does not meet your rules.',
        code: 'FAILED_VALIDATION',
        collection: 'articles',
        path: [],
        type: 'validation',
      },
    ])
    expect(heard.map(String)).toEqual(['EngineError: "status" of "articles" does not pass "_eq".'])
  })

  it('a variable that leads to a concealed field has no value, and denies', async () => {
    await updateItem(engine, 'articles', 1, { title: '**********' })
    const rules = {
      articles: { read: { filter: { title: '$CURRENT_USER.secret' } } },
      strict: { read: true },
    }
    const mine = engine.as({ rules, user: 1 })
    expect(await listItems(mine, 'articles', { fields: ['id'] })).toEqual({ data: [] })
  })
})
