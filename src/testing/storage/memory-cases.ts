import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bytesOf, streamOf } from './bodies.ts'
import type { StorageCase } from './storage-case.ts'

const mebibyte = 1024 * 1024
const chunk = bytesOf(64 * 1024)
const count = 50 * 16
/** 4 MB between measurements. */
const lookEvery = 64

/** Memory that a file of 50 MB may take: two parts of 8 MB, and chunks in transit. */
const max = 25 * mebibyte

export const memoryCases: readonly StorageCase[] = [
  {
    title: 'a file of 50 MB is written and read without ever being in memory',
    async run(storage) {
      let before = heldBytes()
      let peak = 0
      const hash = createHash('sha256')
      // The same chunk again and again, so that the body itself takes no memory.
      function* chunks() {
        for (let index = 0; index < count; index += 1) {
          if (index % lookEvery === 0) peak = Math.max(peak, heldBytes() - before)
          hash.update(chunk)
          yield chunk
        }
      }
      assert.deepEqual(await storage.write('large', streamOf(chunks())), { size: count * chunk.length })
      assert.ok(peak < max, `${peak} bytes are held while 50 MB are written`)

      before = heldBytes()
      const reader = (await storage.read('large')).getReader()
      const { value: first } = await reader.read()
      // A slow reader gives a storage time to read ahead.
      for (let index = 0; index < 1_000; index += 1) await turn()
      const waiting = heldBytes() - before
      assert.ok(waiting < max, `${waiting} bytes are held while a reader of 50 MB waits`)

      const read = createHash('sha256').update(first ?? '')
      for (let next = await reader.read(); !next.done; next = await reader.read()) read.update(next.value)
      assert.equal(read.digest('hex'), hash.digest('hex'))
    },
  },
]

let collect: (() => void) | undefined

/** Returns the bytes that are allocated outside of the heap, after a garbage collection: garbage would count as memory in use, and its
 *  collection during a measurement would hide as much of it. */
export function heldBytes(): number {
  collect ??= collector()
  collect()
  // A second collection also frees what the first one has found.
  collect()
  return process.memoryUsage().arrayBuffers
}

/** Returns the garbage collector. It is exposed only in contexts that are created from now on, and not to the tests. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc')
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
