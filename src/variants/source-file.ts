// The file that something is made of.
import { fault } from '../errors/errors.ts'
import type { AssetLimits } from '../images/image-limits.ts'
import { formatOfContent, signatureLength } from '../images/signature.ts'
import { notAPicture } from '../images/source-facts.ts'
import { isKey } from '../storage/key.ts'
import { chunksIn } from '../storage/outgoing-bytes.ts'
import type { FileStat, Storage } from '../storage/storage.ts'

/** What has to be known of a file to make something of it. */
export interface SourceRow {
  readonly id: string
  /** The key in the storage. */
  readonly filename_disk: string
  readonly type: string | null
  /** Another one for other bytes. Where it is missing, the storage is asked when the file was changed. */
  readonly checksum?: string | null | undefined
  readonly focal_point_x?: number | null | undefined
  readonly focal_point_y?: number | null | undefined
}

/** What the storage knows of a source. */
export async function statOfSource(storage: Storage, { filename_disk }: SourceRow): Promise<FileStat> {
  // A table of the host's may say anything of where its files are.
  const stat = isKey(filename_disk) ? await storage.stat(filename_disk) : undefined
  if (stat) return stat
  throw fault('NOT_FOUND', 'There is no such file, or you may not see it.')
}

/** Tells the bytes from those the file had before. */
export const versionOf = ({ size, lastModified, etag }: FileStat): string =>
  JSON.stringify([size, lastModified.getTime(), etag ?? null])

/** The bytes of a source, as long as they are those of a picture. They are read to where they stay: sources are large, and what is made of
 *  memory for a moment only has to be collected. */
export async function bytesOfSource(
  storage: Storage,
  { filename_disk }: SourceRow,
  size: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { next, cancel } = chunksIn(await storage.read(filename_disk))
  const giveUp = (reason: unknown) => cancel(reason).catch(() => undefined) // the first error is the one to tell
  // A storage that hangs is not waited for.
  const abort = () => void giveUp(signal.reason)
  signal.addEventListener('abort', abort)
  const bytes = new Uint8Array(size)
  let length = 0
  let isPicture = false
  try {
    for (let isOver = false; !isOver; ) {
      signal.throwIfAborted()
      // Before all of it is read it is looked at: most files are no pictures, and some are large.
      const { chunk, isLast } = await next(bytes.subarray(length, isPicture ? size : firstLength))
      signal.throwIfAborted()
      if (chunk) length += taken(bytes, chunk, length)
      isOver = isLast || length === size
      if (!isPicture && (isOver || length >= signatureLength)) {
        if (formatOfContent(bytes.subarray(0, length)) === undefined) throw notAPicture()
        isPicture = true
      }
    }
    // One that has grown meanwhile is another one, which is found out when something was made of it.
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

/** How many bytes of a chunk are new, and where they belong now. */
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
