// Whatever fails, at whatever step: no row without bytes, and no bytes without a row.
import BetterSqlite from 'better-sqlite3'
import { PostgresDialect, SqliteDialect } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  deleteByQuery,
  deleteFile,
  isEngineError,
  listFiles,
  updateFile,
  uploadFile,
} from '../../src/index.ts'
import { memoryStorage, type Storage } from '../../src/storage.ts'
import { openPool } from '../items/connections.ts'
import { databases, type OpenDatabase, openedOn } from '../support/databases.ts'
import { failing, type Steps } from '../writes/failing-driver.ts'
import { keysIn, openGallery, placesIn, storageWith, streamOf } from './gallery-fixture.ts'

const hello = new TextEncoder().encode('Hello')
const all = { filter: { id: { _nnull: true } } } as const

type Gallery = ReturnType<typeof openGallery>
const verbs: readonly (readonly [string, (engine: Gallery, id: string) => Promise<unknown>])[] = [
  ['uploadFile', (engine) => uploadFile(engine, streamOf('He', 'llo'), { filename: 'b.txt' })],
  ['updateFile with bytes', (engine, id) => updateFile(engine, id, { title: 'x' }, streamOf('By', 'e'))],
  ['deleteFile', (engine, id) => deleteFile(engine, id)],
  ['deleteByQuery', (engine) => deleteByQuery(engine, 'files', all)],
]

describe.each(databases)('on $name', ({ name }) => {
  let opened: OpenDatabase
  let steps: Steps
  let storage: Storage
  let unheard: unknown[]
  const reset = () => {
    steps.fails = () => false
  }
  const ready = (kept: Storage = storage) =>
    openGallery(opened.db, kept, { onError: (error) => unheard.push(error) })
  beforeEach(async () => {
    unheard = []
    storage = memoryStorage()
    const pool = name === 'postgres' ? await openPool(2) : undefined
    const made = failing(
      pool
        ? new PostgresDialect({ pool: pool.pool })
        : new SqliteDialect({ database: new BetterSqlite(':memory:') }),
    )
    steps = made.steps
    opened = openedOn(made.db, pool?.close)
    await ready().install()
  })

  /** What rows say, and what there is; variants belong to files that are there. */
  const consistent = async () => {
    const keys = await keysIn(storage)
    expect(keys.filter((key) => key.startsWith('files/'))).toEqual(await placesIn(opened.db))
  }
  const withFile = async () => {
    const { id } = await uploadFile(ready(), hello, { filename: 'a.txt' })
    await storage.write(`variants/${id}/a.webp`, hello)
    return id
  }

  describe.each(verbs)('%s', (_, call) => {
    it('is done or not done, whichever step of the database fails', async () => {
      let step = 0
      for (let isDone = false; !isDone; ) {
        step += 1
        const id = await withFile()
        const fails = steps.taken + step
        steps.fails = (taken) => taken === fails
        isDone = await call(ready(), id).then(
          () => steps.taken < fails,
          (error: unknown) => {
            expect(isEngineError(error) && error.code).toBe('INTERNAL_SERVER_ERROR')
            return false
          },
        )
        reset()
        await consistent()
      }
      expect(step).toBeGreaterThan(2)
    })
  })

  it.each(['write', 'read'] as const)(
    'an upload whose storage fails to %s leaves nothing',
    async (broken) => {
      const engine = ready(
        storageWith(storage, (call) => {
          if (call === broken) throw new Error('no luck')
        }),
      )
      // A header that leads behind what is at hand.
      const picture = new Uint8Array(200_000)
      picture.set([0x49, 0x49, 0x2a, 0, 0, 0, 2, 0])
      await expect(uploadFile(engine, picture, { filename: 'a' })).rejects.toThrow('no luck')
      expect(await keysIn(storage)).toEqual([])
      await consistent()
    },
  )

  it('bytes that cannot be deleted change nothing, and are told to the host', async () => {
    const id = await withFile()
    const engine = ready(
      storageWith(storage, (call) => {
        if (call === 'delete') throw new Error('no luck')
      }),
    )
    await deleteFile(engine, id)
    expect(await placesIn(opened.db)).toEqual([])
    expect(unheard).toEqual([new Error('no luck')])
  })

  it.each([0, 1, 3])('a body that breaks off after %i chunks leaves nothing', async (count) => {
    const broken = () =>
      streamOf(...Array.from({ length: count }, () => 'x'.repeat(50_000)), new RangeError('gone'))
    await expect(uploadFile(ready(), broken(), { filename: 'a' })).rejects.toThrow(RangeError)
    expect(await keysIn(storage)).toEqual([])
    const id = await withFile()
    const before = await keysIn(storage)
    await expect(updateFile(ready(), id, {}, broken())).rejects.toThrow(RangeError)
    expect(await keysIn(storage)).toEqual(before)
    await consistent()
  })

  it('whoever gives up in the middle leaves nothing, and the rest of the body is let go', async () => {
    const gone = new AbortController()
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(new Uint8Array(50_000))
          queueMicrotask(() => gone.abort(new Error('gave up')))
        },
        cancel() {
          isCancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    await expect(
      uploadFile(ready(), body, { filename: 'a' }, { fields: ['id'] }, { signal: gone.signal }),
    ).rejects.toThrow('gave up')
    expect(isCancelled).toBe(true)
    expect(await keysIn(storage)).toEqual([])
    await consistent()
  })

  describe('inside a transaction of the engine', () => {
    it('bytes come and go with the whole of it', async () => {
      const id = await withFile()
      const before = await keysIn(storage)
      const undone = new Error('undone')
      const work = ready().transaction(async (inside) => {
        await uploadFile(inside, hello, { filename: 'b' })
        await updateFile(inside, id, {}, new Blob(['Bye']))
        await deleteFile(inside, id)
        // What was there before is there until all is certain.
        expect(await keysIn(storage)).toEqual(expect.arrayContaining([...before]))
        throw undone
      })
      await expect(work).rejects.toThrow(undone)
      expect(await keysIn(storage)).toEqual(before)
      expect((await listFiles(ready(), { fields: ['id'] })).data).toEqual([{ id }])
    })

    it('a part that fails takes its bytes, and no others', async () => {
      await ready().transaction(async (inside) => {
        await uploadFile(inside, hello, { filename: 'b' })
        const part = inside.transaction(async (deeper) => {
          await uploadFile(deeper, hello, { filename: 'c' })
          throw new RangeError('no')
        })
        await expect(part).rejects.toThrow('no')
      })
      expect(await placesIn(opened.db)).toHaveLength(1)
      await consistent()
    })
  })

  it("inside a transaction of the host's, bytes go once the host says that it was committed", async () => {
    const id = await withFile()
    const trx = await opened.db.startTransaction().execute()
    const inside = ready().using(trx)
    await deleteFile(inside, id)
    await trx.commit().execute()
    expect(await keysIn(storage)).toHaveLength(2)
    await inside.committed()
    expect(await keysIn(storage)).toEqual([])
  })

  it('a commit that succeeds without telling so keeps the bytes', async () => {
    steps.answersCommits = false
    const uploading = uploadFile(ready(), hello, { filename: 'a' })
    await expect(uploading).rejects.toMatchObject({
      message: expect.stringMatching(
        /^(The transaction is over|The outcome of the transaction is unknown).*what was written may be stored\.$/,
      ),
    })
    steps.answersCommits = true
    const [place] = await placesIn(opened.db)
    expect(await keysIn(storage)).toEqual([place])
  })
})
