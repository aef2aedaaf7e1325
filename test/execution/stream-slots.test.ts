// Slots of streams, which are few: none is ever lost.
import { beforeEach, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import { takeStreamSlot } from '../../src/execution/stream-slots.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'

const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openSqlite()
})

it('a caller who gives up in the moment of getting a slot leaves it to the next', async () => {
  const engine = internalsOf(createEngine({ db: opened.db, schema, maxStreams: 1 }))
  for (let turns = 0; turns < 12; turns++) {
    const leave = await takeStreamSlot(engine, {})
    const leaving = new AbortController()
    const second = takeStreamSlot(engine, { signal: leaving.signal })
    leave()
    for (let turn = 0; turn < turns; turn++) await undefined
    leaving.abort()
    const taken = await second.catch(() => undefined)
    taken?.()
    const last = await takeStreamSlot(engine, {}).catch(() => undefined)
    expect(last, `given up after ${turns} turns`).toBeDefined()
    last?.()
  }
})
