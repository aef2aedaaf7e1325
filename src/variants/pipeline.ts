// What was made of a file: stored when it is asked for the first time, and found then.
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
  /** Another one for other bytes, without quotes. */
  readonly etag: string
  readonly lastModified: Date
  readonly variant: true
  readonly width: number
  readonly height: number
  /** Whether another client could get other bytes, because of what it accepts. */
  readonly vary: boolean
  /** Nothing is opened before. Read the stream to its end, or cancel it. */
  readonly open: (range?: ByteRange) => Promise<ReadableStream<Uint8Array>>
}

export interface VariantContext {
  readonly storage: Storage
  readonly workshop: RenderSlots
  /** Stops waiting. The work goes on as long as somebody else waits for it. */
  readonly signal?: AbortSignal | undefined
}

/** The variant of a file that a request means, made if it is not there. */
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
    // The size is known, and a storage that is told it need not ask for it.
    open: async (range = { start: 0, end: size - 1 }) =>
      'data' in found
        ? readStreamOf(found.data, range)
        : storage.read(key, range).catch(async (error: unknown) => {
            if (!isEngineError(error) || error.code !== 'NOT_FOUND') throw error
            // It was deleted since it was found, to make room for others.
            if ((await again()).key !== key) throw madeAnew()
            return await storage.read(key, range)
          }),
  }
}

/** Other bytes than those that have been promised, as another version of the library makes them. */
const madeAnew = () =>
  fault('SERVICE_UNAVAILABLE', 'The picture was made anew, and has other bytes now.', {
    extensions: { retryAfter: 1 },
  })
