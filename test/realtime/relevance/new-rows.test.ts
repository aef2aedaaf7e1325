// A source of the host's that names the written fields: of a row that may be new, others have values, too.
import { expect, it } from 'vitest'
import { createFeed, type Source, type SourceChange, watchItems } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases, insert } from '../../support/databases.ts'
import { admin, next, openTasks } from '../tasks.ts'

/** A source of changes that a test reports. */
function pushed() {
  const waiting: SourceChange[] = []
  let wake = () => {}
  const push = (change: SourceChange) => {
    waiting.push(change)
    wake()
  }
  const source: Source = {
    async *read(_after, { signal }) {
      let position = 0
      yield { position, changes: [] }
      signal.addEventListener('abort', () => wake())
      while (!signal.aborted) {
        while (waiting.length === 0 && !signal.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        yield { position: ++position, changes: waiting.splice(0) }
      }
    },
  }
  return { push, source }
}

it.each(databases)(
  'a row that may be new is read on $name, whatever fields a source names',
  async (database) => {
    const { engine } = await openTasks({}, {}, database)
    const { push, source } = pushed()
    const feed = createFeed(engine, { source })
    atEnd(() => feed.stop())
    const list = watchItems(feed.as(admin), 'tasks', { fields: ['id'], filter: { owner: 1 } })
    await next(list)
    for (const [id, change] of [
      [31, { operation: 'create' }],
      [32, { before: [null] }],
      [33, {}],
    ] as const) {
      const row = { id, title: 'New', owner: 1 }
      await insert(engine.db, 'tasks', row)
      push({ collection: 'tasks', keys: [id], fields: ['title'], ...change })
      expect(await next(list)).toMatchObject({ set: [{ id: String(id) }] })
    }
  },
)
