import { abortSignal, anything, checkOptions, flag, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { sourceOf } from './body-source.ts'
import { checkKey, checkPrefix } from './key.ts'
import { outgoing } from './outgoing-bytes.ts'
import { checkRange } from './range.ts'
import type { ByteRange, FileStat, Storage, StoredFile, WriteOptions } from './storage.ts'
import { storageFault, translated } from './storage-errors.ts'

/** A storage driver: the part in which one storage differs from others. Keys, ranges and bodies are checked
 *  before, and errors are translated after. */
export interface StorageDriver {
  /** Returns undefined if there is no such file. */
  read(key: string, range: ByteRange | undefined): Promise<ReadableStream<Uint8Array> | undefined>
  stat(key: string): Promise<FileStat | undefined>
  /** Reads the chunks one after another. If they fail, or the signal is aborted before the end, no file may
   *  stay behind. A chunk belongs to its producer: a driver that keeps it copies it. */
  write(key: string, chunks: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<void>
  delete(key: string): Promise<void>
  list(prefix: string): AsyncIterable<StoredFile>
}

const writeOptions = optionNames<WriteOptions>({ signal: abortSignal, type: anything, isLasting: flag })

/** Makes a storage from a driver: adds the checks and the error translation that all storages share.
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
        // The reason of an abort and the error of a body belong to the caller, and are thrown unchanged.
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

// It becomes a header: it must have no line break.
const contentType = /^[\w.+-]+\/[\w.+-]+( ?; ?[\w-]+=([\w.+-]+|"[\w .+-]*"))*$/

function checkType(type: unknown): void {
  if (type === undefined || (typeof type === 'string' && type.length <= 255 && contentType.test(type))) return
  throw fault('INVALID_PAYLOAD', `A type is such as "image/png", not ${quote(type)}.`, { path: ['type'] })
}
