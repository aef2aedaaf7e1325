import { fault } from '../errors/errors.ts'
import type { AssetLimits } from '../images/image-limits.ts'
import { formatOfContent, signatureLength } from '../images/signature.ts'
import { notAPicture } from '../images/source-facts.ts'
import { isKey } from '../storage/key.ts'
import { chunksIn } from '../storage/outgoing-bytes.ts'
import type { FileStat, Storage } from '../storage/storage.ts'

/** The fields of a file that a variant depends on. */
export interface SourceRow {
  readonly id: string
  /** The key in the storage. */
  readonly filename_disk: string
  readonly type: string | null
  /** A checksum of the bytes. Without it, the storage is queried for the time of the last change. */
  readonly checksum?: string | null | undefined
  readonly focal_point_x?: number | null | undefined
  readonly focal_point_y?: number | null | undefined
}

export async function statOfSource(storage: Storage, { filename_disk }: SourceRow): Promise<FileStat> {
  // A table of the host may have anything in its column of keys.
  const stat = isKey(filename_disk) ? await storage.stat(filename_disk) : undefined
  if (stat) return stat
  throw fault('NOT_FOUND', 'There is no such file, or you may not see it.')
}

/** A text that changes whenever the bytes of the file change. */
export const versionOf = ({ size, lastModified, etag }: FileStat): string =>
  JSON.stringify([size, lastModified.getTime(), etag ?? null])

/** Reads the bytes of a source, as long as they are those of a picture. They are read directly into their final
 *  buffer: sources are large, and temporary buffers would have to be collected. */
export async function bytesOfSource(
  storage: Storage,
  { filename_disk }: SourceRow,
  size: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { next, cancel } = chunksIn(await storage.read(filename_disk))
  const giveUp = (reason: unknown) => cancel(reason).catch(() => undefined) // the first error is the one to report
  // Does not wait for a storage that hangs.
  const abort = () => void giveUp(signal.reason)
  signal.addEventListener('abort', abort)
  const bytes = new Uint8Array(size)
  let length = 0
  let isPicture = false
  try {
    for (let isOver = false; !isOver; ) {
      signal.throwIfAborted()
      // The first bytes are checked before the rest is read: most files are not pictures, and some are large.
      const { chunk, isLast } = await next(bytes.subarray(length, isPicture ? size : firstLength))
      signal.throwIfAborted()
      if (chunk) length += taken(bytes, chunk, length)
      isOver = isLast || length === size
      if (!isPicture && (isOver || length >= signatureLength)) {
        if (formatOfContent(bytes.subarray(0, length)) === undefined) throw notAPicture()
        isPicture = true
      }
    }
    // A file that has grown meanwhile is another version, which is detected after the variant was made.
    void giveUp(undefined)
    return bytes.subarray(0, length)
  } catch (error) {
    await giveUp(error)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const firstLength = 64 * 1024

/** Returns the number of new bytes of a chunk, and copies them to their place. */
function taken(bytes: Uint8Array, chunk: Uint8Array, at: number): number {
  const own = chunk.subarray(0, bytes.length - at)
  // It may have been written to its place already.
  if (own.buffer !== bytes.buffer) bytes.set(own, at)
  return own.length
}

/** Refuses a source that is too large to be read. */
export function checkBytes(size: number, { inputBytes }: AssetLimits): void {
  if (size > inputBytes)
    throw fault('ILLEGAL_ASSET_TRANSFORMATION', `Files of more than ${inputBytes} bytes are not transformed.`)
}
