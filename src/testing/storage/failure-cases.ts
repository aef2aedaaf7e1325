import assert from 'node:assert/strict'
import { plainFault } from '../../errors/code-texts.ts'
import type { Body, Storage } from '../../storage/storage.ts'
import { bytesOf, faucet, streamOf, text } from './bodies.ts'
import { assertAbsent, assertHolds, failureOf, keysOf, refuses, type StorageCase } from './storage-case.ts'

const old = bytesOf(1_000, 99)

/** Parts of a body before it breaks off: none, a few bytes, more than any storage sends at once. */
const beginnings: readonly (readonly Uint8Array[])[] = [
  [],
  [bytesOf(10)],
  Array.from({ length: 20 }, (_, index) => bytesOf(1_000_000, index + 1)),
]

/** Asserts that a failing operation changes neither a new key nor an existing file. */
async function changesNothing(storage: Storage, attempt: (key: string) => Promise<void>): Promise<void> {
  await storage.write('folder/old', old)
  const before = await storage.stat('folder/old')
  await attempt('folder/new')
  await assertAbsent(storage, 'folder/new')
  await attempt('folder/old')
  await assertHolds(storage, 'folder/old', old)
  assert.deepEqual(await storage.stat('folder/old'), before)
  assert.deepEqual(await keysOf(storage, ''), ['folder/old'])
  await storage.write('folder/new', text('now'))
  await assertHolds(storage, 'folder/new', text('now'))
  await storage.delete('folder/new')
}

export const failureCases: readonly StorageCase[] = [
  {
    title: 'a body that fails leaves nothing behind, and its own error is thrown',
    async run(storage) {
      for (const beginning of beginnings) {
        await changesNothing(storage, async (key) => {
          const error = plainFault('CONTENT_TOO_LARGE')
          const body = faucet()
          const writing = failureOf(() => storage.write(key, body.stream))
          for (const chunk of beginning) await body.give(chunk)
          body.fail(error)
          assert.equal(await writing, error)
        })
      }
    },
  },
  {
    title: 'an aborted write leaves nothing behind, throws the reason, and cancels its body',
    async run(storage) {
      for (const beginning of beginnings) {
        await changesNothing(storage, async (key) => {
          const controller = new AbortController()
          const reason = plainFault('OUT_OF_TIME')
          const body = faucet()
          const writing = failureOf(() => storage.write(key, body.stream, { signal: controller.signal }))
          for (const chunk of beginning) await body.give(chunk)
          controller.abort(reason)
          assert.equal(await writing, reason)
          assert.equal(await body.cancelled, reason)
        })
      }
    },
  },
  {
    title: 'a signal that is aborted already stops a write before it begins',
    async run(storage) {
      await changesNothing(storage, async (key) => {
        const reason = plainFault('OUT_OF_TIME')
        const bodies: readonly Body[] = [text('x'), streamOf([text('x')]), new Blob(['x'])]
        for (const body of bodies) {
          const signal = AbortSignal.abort(reason)
          assert.equal(await failureOf(() => storage.write(key, body, { signal })), reason)
        }
      })
    },
  },
  {
    title: 'a signal that is aborted between two chunks stops a write of a body that goes on',
    async run(storage) {
      await changesNothing(storage, async (key) => {
        const controller = new AbortController()
        function* chunks() {
          for (let index = 0; index < 100; index += 1) {
            if (index === 50) controller.abort()
            yield bytesOf(1_000, index + 1)
          }
        }
        const { signal } = controller
        const error = await failureOf(() => storage.write(key, streamOf(chunks()), { signal }))
        assert.equal(error, signal.reason)
      })
    },
  },
  {
    title: 'a signal that is aborted after a write changes nothing',
    async run(storage) {
      const controller = new AbortController()
      await storage.write('file', old, { signal: controller.signal })
      controller.abort()
      await assertHolds(storage, 'file', old)
    },
  },
  {
    title: 'a body that is not made of bytes is refused and leaves nothing behind',
    async run(storage) {
      await changesNothing(storage, async (key) => {
        for (const input of ['text', null, undefined, 5, {}, [1, 2], new ArrayBuffer(5)]) {
          const body = input as unknown as Body // an invalid body
          await refuses('INVALID_PAYLOAD', () => storage.write(key, body), String(input))
        }
        for (const chunk of ['text', null, undefined, [1, 2], new ArrayBuffer(5)]) {
          const chunks = [text('x'), chunk] as Uint8Array[] // with one invalid chunk
          await refuses('INVALID_PAYLOAD', () => storage.write(key, streamOf(chunks)), `a chunk ${chunk}`)
        }
        const locked = streamOf([text('x')])
        locked.getReader()
        await refuses('INVALID_PAYLOAD', () => storage.write(key, locked), 'a locked stream')
      })
    },
  },
]
