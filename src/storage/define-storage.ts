import { abortSignal, anything, checkOptions, flag, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { sourceOf } from './body-source.ts'
import { checkKey, checkPrefix } from './key.ts'
import { outgoing } from './outgoing-bytes.ts'
import { checkRange } from './range.ts'
import type { ByteRange, FileStat, Storage, StoredFile, WriteOptions } from './storage.ts'
import { storageFault, translated } from './storage-errors.ts'

/** What one storage does differently from others. Keys, ranges and bodies have been checked, and errors are translated. */
export interface StorageDriver {
  /** Undefined if there is no such file. */
  read(key: string, range: ByteRange | undefined): Promise<ReadableStream<Uint8Array> | undefined>
  stat(key: string): Promise<FileStat | undefined>
  /** Asks for the chunks one after another. If they fail, or the signal is aborted before all is there, nothing may stay behind.
   *  A chunk belongs to whoever made it: it is copied where it is kept. */
  write(key: string, chunks: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<void>
  delete(key: string): Promise<void>
  list(prefix: string): AsyncIterable<StoredFile>
}

const writeOptions = optionNames<WriteOptions>({ signal: abortSignal, type: anything, isLasting: flag })

/** Makes a storage: what all of them have in common, around what one does.
 *  @example const nowhere = defineStorage({
 *    read: async () => undefined,
 *    stat: async () => undefined,
 *    write: async (_key, chunks) => {
 *      for await (const _ of chunks) continue
 *    },
 *    delete: async () => {},
 *    list: async function* () {},
 *  })
 *  await nowhere.read('notes/one.txt') // throws There is no file "notes/one.txt". */
export function defineStorage(driver: StorageDriver): Storage {
  return {
    async read(key, range) {
      checkKey(key)
      checkRange(range)
      const stream = await translated(() => driver.read(key, range))
      if (!stream) throw fault('NOT_FOUND', `There is no file ${quote(key)}.`, { path: ['key'] })
      return outgoing(stream)
    },

    async stat(key) {
      checkKey(key)
      return await translated(() => driver.stat(key))
    },

    async write(key, body, options = {}) {
      checkOptions(options, writeOptions)
      const { signal } = options
      const source = sourceOf(body, signal)
      try {
        checkKey(key)
        checkType(options.type)
        signal?.throwIfAborted()
        await driver.write(key, source, options)
        return { size: source.size }
      } catch (error) {
        // Whoever gives up or breaks off knows why, in words of their own.
        if (signal?.aborted) throw signal.reason
        throw source.failure ? source.failure.error : storageFault(error)
      } finally {
        source.close()
      }
    },

    async delete(key) {
      checkKey(key)
      await translated(() => driver.delete(key))
    },

    async *list(prefix) {
      checkPrefix(prefix)
      try {
        yield* driver.list(prefix)
      } catch (error) {
        throw storageFault(error)
      }
    },
  }
}

// It becomes a header: no line break may be in it.
const contentType = /^[\w.+-]+\/[\w.+-]+( ?; ?[\w-]+=([\w.+-]+|"[\w .+-]*"))*$/

function checkType(type: unknown): void {
  if (type === undefined || (typeof type === 'string' && type.length <= 255 && contentType.test(type))) return
  throw fault('INVALID_PAYLOAD', `A type is such as "image/png", not ${quote(type)}.`, { path: ['type'] })
}
