// Variants of files: made and stored on the first request, and found later.
import { fault, isEngineError } from '../errors/errors.ts'
import { formatOfType, formatRow } from '../images/image-formats.ts'
import type { ImageRequest } from '../images/image-request.ts'
import { readStreamOf } from '../storage/read-stream.ts'
import type { ByteRange, Storage } from '../storage/storage.ts'
import { type Commission, makeVariant } from './make-variant.ts'
import type { RenderSlots } from './render-slots.ts'
import { type SourceRow, statOfSource, versionOf } from './source-file.ts'
import { identityOf } from './variant-identity.ts'
import type { FoundVariant, Fresh } from './variant-index.ts'
import { variantFolderOf } from './variant-key.ts'

/** A variant that is stored. */
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
  /** Opens the bytes; nothing is opened before. Read the stream to its end, or cancel it. */
  readonly open: (range?: ByteRange) => Promise<ReadableStream<Uint8Array>>
}

export interface VariantContext {
  readonly storage: Storage
  readonly workshop: RenderSlots
  /** Stops waiting. The work goes on as long as another caller waits for it. */
  readonly signal?: AbortSignal | undefined
}

/** Returns the variant of a file for a request, made if it is not stored. */
export async function variantOf(
  file: SourceRow,
  request: ImageRequest,
  { storage, workshop, signal }: VariantContext,
): Promise<Variant> {
  signal?.throwIfAborted()
  const version = file.checksum ?? versionOf(await statOfSource(storage, file))
  const identity = identityOf(request, file, version, formatOfType(file.type ?? undefined))
  const place = variantFolderOf(file.id, identity)
  const commission = { storage, file, request, place }
  const { shelf, flights } = workshop
  const foundOrMade = async (flight: AbortSignal) =>
    (await shelf.find(storage, place)) ?? (await makeVariant(workshop, commission, flight))
  const joined = () => flights.join(place, foundOrMade, signal)
  const again = () => {
    shelf.forget(place)
    return joined()
  }
  return shown(commission, shelf.known(place) ?? (await joined()), identity, again)
}

function shown(
  { storage, request }: Commission,
  found: FoundVariant | Fresh,
  identity: string,
  again: () => Promise<FoundVariant>,
): Variant {
  const { key, size, width, height, format, lastModified } = found
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
    // The size is known, which spares the storage a lookup.
    open: async (range = { start: 0, end: size - 1 }) =>
      'data' in found
        ? readStreamOf(found.data, range)
        : storage.read(key, range).catch(async (error: unknown) => {
            if (!isEngineError(error) || error.code !== 'NOT_FOUND') throw error
            // It was evicted since it was found.
            if ((await again()).key !== key) throw madeAnew()
            return await storage.read(key, range)
          }),
  }
}

/** The bytes are not those that were promised, because another version of the library made them. */
const madeAnew = () =>
  fault('SERVICE_UNAVAILABLE', 'The picture was made anew, and has other bytes now.', {
    extensions: { retryAfter: 1 },
  })
