// A version is read as promoting it would make it: the same for any delta, but for keys that are not given yet.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createVersion,
  type Engine,
  getItem,
  isEngineError,
  promoteVersion,
  type Schema,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { outcomeOf } from '../support/outcome.ts'
import { firstNewKey, openWorld } from './collections.ts'
import { delta, queries } from './random-delta.ts'

describe.each(databases)('on $name', (database) => {
  let engine: Engine<Schema>
  beforeAll(async () => {
    const world = await openWorld(database)
    // The queries are drawn, so the verbs are to see no names.
    engine = world.engine as unknown as Engine<Schema>
  })

  it('reads what promoting would make', async () => {
    await fc.assert(
      fc.asyncProperty(
        delta,
        fc.subarray([...queries], { minLength: 1, maxLength: 4 }),
        async (drawn, asked) => {
          const { overlaid, promoted } = await both(engine, drawn, asked)
          // A few cannot be promoted, because they create something twice.
          fc.pre(promoted !== undefined)
          expect(overlaid).toEqual(promoted)
        },
      ),
      { numRuns: drawsOf('promotions of versions') },
    )
  })
})

class Undo extends Error {}

/** What a version reads as, and the item after it was promoted; nothing of it stays. */
async function both(engine: Engine<Schema>, drawn: object, asked: readonly object[]) {
  let overlaid: unknown
  let promoted: unknown
  await engine
    .transaction(async (inside) => {
      await createVersion(inside, 'articles', 1, { key: 'draft', delta: { ...drawn } })
      overlaid = await answers(inside, asked, { version: 'draft' })
      const { mainHash } = await compareVersion(inside, 'articles', 1, 'draft')
      if (Object.keys(drawn).length > 0) await promoteVersion(inside, 'articles', 1, 'draft', { mainHash })
      promoted = withoutNewKeys(await answers(inside, asked, {}))
      throw new Undo()
    })
    .catch((error: unknown) => {
      const isKnown = error instanceof Undo || (isEngineError(error) && error.code === 'RECORD_NOT_UNIQUE')
      if (!isKnown) throw error
    })
  return { overlaid, promoted }
}

async function answers(engine: Engine<Schema>, asked: readonly object[], version: object): Promise<unknown> {
  const found: unknown[] = []
  for (const query of asked)
    found.push(await outcome(() => getItem(engine, 'articles', 1, { ...query, ...version })))
  return found
}

const outcome = (work: () => Promise<unknown>) => outcomeOf(work, ({ code, message }) => ({ code, message }))

/** Numbers of that size are keys; in a reference to any collection they are text. */
function withoutNewKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNewKeys)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutNewKeys(one)]))
  const isNew = typeof value === 'number' ? value >= firstNewKey : /^1\d{5}$/.test(String(value))
  return isNew ? null : value
}
