// Statements of one request that run at the same time.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { answerGraphQL } from '../../../src/graphql.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'

const id = { type: 'integer', key: true } as const
const schema = defineSchema({ slow: { fields: { id } }, fast: { fields: { id } } })

it.each(databases.filter(({ name }) => name === 'postgres'))(
  'a field that waits holds up no field that has another place on $name',
  async ({ open }) => {
    const { db } = await open()
    await sql`create table slow (id integer primary key)`.execute(db)
    await sql`create table fast (id integer primary key)`.execute(db)
    let reads = 0
    let tellAll: () => void = () => undefined
    const all = new Promise<void>((resolve) => {
      tellAll = resolve
    })
    const engine = createEngine({
      db,
      schema,
      onQuery: ({ sql: text }) => {
        if (text.includes('"fast"') && ++reads === 9) tellAll()
      },
    })
    const fields = Array.from({ length: 9 }, (_, index) => `f${index}: fast(limit: ${index + 1}) { id }`)
    const answer = await db.transaction().execute(async (transaction) => {
      await sql`lock table slow`.execute(transaction)
      const query = `{ slow { id } ${fields.join(' ')} }`
      const answering = answerGraphQL(engine, { query }, { timeoutMs: 20_000 })
      // The table is free again only once all others are read.
      await Promise.race([all, answering])
      return { answering }
    })
    expect(Object.keys(JSON.parse(await answer.answering).data)).toHaveLength(10)
  },
)
