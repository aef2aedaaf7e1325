// The contract of sources, for the local one and for the change log; and that it finds what is wrong.
import { describe, expect, it } from 'vitest'
import { upsertItem } from '../../../src/index.ts'
import { changeLogSource, installChangeLog, localSource, type Source } from '../../../src/realtime.ts'
import { sourceContract, type TestedSource } from '../../../src/testing.ts'
import { databases, sqlite } from '../../support/databases.ts'
import { logged, openTables } from './tables.ts'

describe.each(databases)('on $name', (database) => {
  describe('a local source', () => {
    const cases = sourceContract(
      async () => {
        const { engine } = await openTables(database)
        const write = (id: number) => upsertItem(engine, 'tasks', { id, title: 'new' })
        return { engine, source: localSource(), collection: 'tasks', write }
      },
      { waitMs: 45_000 },
    )
    it.each(cases)('$title', ({ run }) => run())
  })

  describe('the change log', () => {
    const cases = sourceContract(
      async () => {
        const { engine, run } = await openTables(database)
        await installChangeLog(engine, logged)
        const write = (id: number) => run(`insert into tasks (id, title) values (${id}, 'new')`)
        return { engine, source: changeLogSource({ everyMs: 10 }), collection: 'tasks', write }
      },
      { waitMs: 45_000 },
    )
    it.each(cases)('$title', ({ run }) => run())
  })
})

describe('the contract', () => {
  const good = localSource()
  const wrong: readonly (readonly [string, Source])[] = [
    ['is silent at first', { read: (after, context) => withoutFirst(good.read(after, context)) }],
    [
      'tells no keys of its own',
      { read: (after, context) => mapped(good.read(after, context), { collection: 'people' }) },
    ],
    ['goes back', { read: (after, context) => goingBack(good.read(after, context)) }],
    [
      'goes on after its end',
      { read: (after, context) => good.read(after, { ...context, signal: new AbortController().signal }) },
    ],
    ['forgets', { read: (after, context) => good.read(after, context), resumes: true }],
  ]

  it.each(wrong)('finds a source that %s', async (_, source) => {
    const { engine } = await openTables(sqlite)
    const write = (id: number) => upsertItem(engine, 'tasks', { id, title: 'new' })
    const tested: TestedSource = { engine, source, collection: 'tasks', write }
    const outcomes = await Promise.allSettled(
      sourceContract(() => tested, { waitMs: 300 }).map(({ run }) => run()),
    )
    expect(outcomes.map(({ status }) => status)).toContain('rejected')
  })
})

type Batches = ReturnType<Source['read']>

async function* withoutFirst(batches: Batches): Batches {
  let isFirst = true
  for await (const batch of batches) {
    if (!isFirst) yield batch
    isFirst = false
  }
}

async function* mapped(batches: Batches, change: { readonly collection: string }): Batches {
  for await (const batch of batches) yield { ...batch, changes: batch.changes.map(() => change) }
}

async function* goingBack(batches: Batches): Batches {
  let position = 0
  for await (const { changes } of batches) {
    position -= 1
    yield { position, changes }
  }
}
