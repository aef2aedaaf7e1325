// The file that something is made of.
import { fault } from '../../errors.ts'
import { isKey } from '../../storage/key.ts'
import type { FileStat, Storage } from '../../storage/storage.ts'
import { formatOfContent, signatureLength } from '../image/content.ts'
import { notAPicture } from '../image/facts.ts'
import type { AssetLimits } from '../image/limits.ts'

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

/** The bytes of a source, as long as they are those of a picture. */
export async function bytesOfSource(
  storage: Storage,
  { filename_disk }: SourceRow,
  { limits, signal }: { readonly limits: AssetLimits; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const reader = (await storage.read(filename_disk)).getReader()
  // A storage that hangs is not waited for.
  const abort = () => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener('abort', abort)
  const chunks: Uint8Array[] = []
  let size = 0
  let isPicture = false
  try {
    signal.throwIfAborted()
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (value) {
        chunks.push(value)
        size += value.length
      }
      checkBytes(size, limits)
      if (!isPicture && (done || size >= signatureLength)) {
        // Before all of it was read: most files are no pictures, and some are large.
        if (formatOfContent(Buffer.concat(chunks)) === undefined) throw notAPicture()
        isPicture = true
      }
      if (done) return Buffer.concat(chunks, size)
    }
  } catch (error) {
    await reader.cancel(error).catch(() => undefined) // the first error is the one to tell
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Refuses a source that is too large to be read. */
export function checkBytes(size: number, { inputBytes }: AssetLimits): void {
  if (size > inputBytes)
    throw fault('ILLEGAL_ASSET_TRANSFORMATION', `Files of more than ${inputBytes} bytes are not transformed.`)
}
