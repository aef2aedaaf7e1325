// Variants of files: made and stored on the first request, and found later.
import { fault, isEngineError } from '../errors/errors.ts'
import { formatOfType, formatRow } from '../images/image-formats.ts'
import type { ImageRequest } from '../images/image-request.ts'
import { readStored } from '../storage/opened-file.ts'
import type { OutgoingChunks } from '../storage/outgoing-bytes.ts'
import { chunksOfBytes } from '../storage/read-stream.ts'
import type { ByteRange, Storage } from '../storage/storage.ts'
import { makeVariant, type RenderJob } from './make-variant.ts'
import type { Renderer } from './renderer.ts'
import { type SourceRow, statOfSource, versionOf } from './source-file.ts'
import { identityOf } from './variant-identity.ts'
import type { FoundVariant, Fresh } from './variant-index.ts'
import { variantFolderOf } from './variant-key.ts'

export interface Variant {
  readonly type: string
  readonly size: number
  /** A tag that changes with the bytes, without quotes. */
  readonly etag: string
  readonly lastModified: Date
  readonly variant: true
  readonly width: number
  readonly height: number
  /** True if another client could get other bytes, because of its `Accept` header. */
  readonly vary: boolean
  /** Opens the bytes; nothing is opened before. Read them to their end, or cancel them. */
  readonly open: (range?: ByteRange) => Promise<OutgoingChunks>
}

interface VariantContext {
  readonly storage: Storage
  readonly renderer: Renderer
  /** Stops waiting. The work goes on as long as another caller waits for it. */
  readonly signal?: AbortSignal | undefined
}

/** Returns the variant of a file for a request, made if it is not stored. */
export async function findOrMakeVariant(
  file: SourceRow,
  request: ImageRequest,
  { storage, renderer, signal }: VariantContext,
): Promise<Variant> {
  signal?.throwIfAborted()
  const version = file.checksum ?? versionOf(await statOfSource(storage, file))
  const identity = identityOf(request, file, version, formatOfType(file.type ?? undefined))
  const job = { storage, file, request, folder: variantFolderOf(file.id, identity) }
  const found = renderer.index.known(job.folder) ?? (await findOrMake(renderer, job, signal))
  const variant = describe(found, identity, request)
  return { ...variant, open: (range) => openVariant(found, renderer, job, { range, signal }) }
}

/** Finds a variant in the storage, or makes it; concurrent callers wait for the same work. */
function findOrMake(
  renderer: Renderer,
  job: RenderJob,
  signal: AbortSignal | undefined,
): Promise<FoundVariant | Fresh> {
  const { index, inProgress } = renderer
  const work = async (whileWanted: AbortSignal) =>
    (await index.find(job.storage, job.folder)) ?? (await makeVariant(renderer, job, whileWanted))
  return inProgress.join(job.folder, work, signal)
}

function describe(
  { size, width, height, format, lastModified }: FoundVariant,
  identity: string,
  request: ImageRequest,
): Omit<Variant, 'open'> {
  return {
    type: formatRow(format).type,
    size,
    // The same picture can become other bytes with another version of the library.
    etag: `${identity}-${size.toString(36)}`,
    lastModified,
    variant: true,
    width,
    height,
    vary: typeof request.format === 'object',
  }
}

interface VariantPart {
  readonly range: ByteRange | undefined
  readonly signal: AbortSignal | undefined
}

/** Opens a variant; one that was evicted since it was found is made again. */
async function openVariant(
  found: FoundVariant | Fresh,
  renderer: Renderer,
  job: RenderJob,
  // The size is known, which spares the storage a lookup.
  { range = { start: 0, end: found.size - 1 }, signal }: VariantPart,
): Promise<OutgoingChunks> {
  if ('data' in found) return chunksOfBytes(found.data, range)
  try {
    return await readStored(job.storage, found.key, range)
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'NOT_FOUND') throw error
  }
  renderer.index.forget(job.folder)
  const again = await findOrMake(renderer, job, signal)
  if (again.key !== found.key) throw otherBytes()
  return await readStored(job.storage, found.key, range)
}

/** The bytes are not those that were promised, because another version of the library made them. */
const otherBytes = () =>
  fault('SERVICE_UNAVAILABLE', 'The image was made again, and its bytes have changed.', {
    extensions: { retryAfter: 1 },
  })
