// Receives an upload into the storage: its bytes are counted, hashed and inspected on the way, and only the first of them are kept in
// memory.

import type { EngineInternals } from '../engine/engine.ts'
import type { FileKeeping } from '../engine/file-options.ts'
import { fault } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import { attempt } from '../execution/report-errors.ts'
import { type BodySource, sourceOf } from '../storage/body-source.ts'
import type { Body, Storage } from '../storage/storage.ts'
import { createHash, randomBytes } from '../values/from-node.ts'
import { extensionOf, typeOf } from './content-type.ts'
import { readerOf } from './dimensions/bytes.ts'
import { dimensionsOf } from './dimensions/dimensions.ts'
import { filesOf } from './file-row.ts'
import { underWayIn } from './pending-uploads.ts'

/** Bytes in the storage that no row refers to yet. */
export interface Received {
  /** Key in the storage, which no other file has ever had. */
  readonly place: string
  readonly type: string
  readonly size: number
  readonly checksum: string
  readonly width: number | undefined
  readonly height: number | undefined
}

/** Description of bytes before they arrive. */
export interface Announced {
  readonly filename: string
  readonly type: string | undefined
}

interface IncomingFile extends Announced {
  readonly body: Body
}

/** Writes bytes into the storage. If it fails, none remain there. */
export async function receive(
  engine: EngineInternals,
  id: string,
  { body, filename, type: declared }: IncomingFile,
  { signal }: Options,
): Promise<Received> {
  const { storage, maxBytes } = filesOf(engine)
  const source = sourceOf(body, signal)
  try {
    const chunks = source[Symbol.asyncIterator]()
    const { first, head } = await beginningOf(chunks)
    const type = typeOf(head, declared, filename)
    const place = `files/${id}/${randomBytes(9).toString('hex')}${extensionOf(type)}`
    const hash = createHash('sha256')
    const stream = counted({ first, rest: chunks, source }, hash, maxBytes)
    const underWay = underWayIn(storage).add(place)
    const { size } = await storage.write(place, stream, { type, signal }).catch((error: unknown) => {
      underWay.delete(place)
      throw error
    })
    try {
      const read = readerOf(head, size, (start, end) => bytesAt(storage, place, start, end))
      const { width, height } = (await dimensionsOf(type, read)) ?? {}
      return { place, type, size, checksum: hash.digest('hex'), width, height }
    } catch (error) {
      await drop(engine, place)
      throw error
    }
  } finally {
    source.close()
  }
}

/** Number of bytes that are inspected for type and dimensions. */
const headLength = 65_536

type ChunkReader = AsyncIterator<Uint8Array>

/** Reads the first chunks. */
async function beginningOf(
  chunks: ChunkReader,
): Promise<{ readonly first: readonly Uint8Array[]; readonly head: Uint8Array }> {
  const first: Uint8Array[] = []
  for (let length = 0; length < headLength; ) {
    const { done, value } = await chunks.next()
    if (done) break
    length += value.length
    // A chunk belongs to its producer, which may reuse the buffer for the next one.
    first.push(length < headLength ? value.slice() : value)
  }
  return { first, head: Buffer.concat(first.map((chunk) => chunk.subarray(0, headLength))) }
}

/** A body of which the first chunks were read. */
interface BegunBody {
  readonly first: readonly Uint8Array[]
  readonly rest: ChunkReader
  readonly source: BodySource
}

/** Yields all of the bytes, and updates the hash. */
function counted(
  { first, rest, source }: BegunBody,
  hash: ReturnType<typeof createHash>,
  max: number,
): ReadableStream<Uint8Array> {
  const left = [...first]
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = left.shift() ?? (await nextOf(rest))
        if (!chunk) return controller.close()
        if (source.size > max) throw tooLarge(max)
        hash.update(chunk)
        controller.enqueue(chunk)
      },
      cancel: () => source.close(),
    },
    { highWaterMark: 0 },
  )
}

async function nextOf(chunks: ChunkReader): Promise<Uint8Array | undefined> {
  const { done, value } = await chunks.next()
  return done ? undefined : value
}

async function bytesAt(storage: Storage, place: string, start: number, end: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of sourceOf(await storage.read(place, { start, end }), undefined)) parts.push(chunk)
  return Buffer.concat(parts)
}

export const tooLarge = (max: FileKeeping['maxBytes']) =>
  fault('CONTENT_TOO_LARGE', `A file has at most ${max} bytes.`, { path: ['body'] })

/** Deletes bytes that no row refers to. A failure is reported to the host; the caller gets the error that came before. */
export async function drop(engine: EngineInternals, place: string): Promise<void> {
  const { storage } = filesOf(engine)
  await attempt(() => storage.delete(place), undefined, engine.onError)
  underWayIn(storage).delete(place)
}

/** Notes that bytes have a row now. */
export const arrive = (engine: EngineInternals, place: string): boolean =>
  underWayIn(filesOf(engine).storage).delete(place)
