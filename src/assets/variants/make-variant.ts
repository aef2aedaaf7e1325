// Makes a variant and stores it: whole, or not at all.
import { fault } from '../../errors.ts'
import type { Storage } from '../../storage/storage.ts'
import { formatRow } from '../image/formats.ts'
import { type Made, makePicture } from '../image/make.ts'
import { outOfTime } from '../image/perform.ts'
import type { ImageRequest } from '../image/request.ts'
import { focusOf } from './identity.ts'
import { keyOf } from './place.ts'
import type { Found } from './shelf.ts'
import { bytesOfSource, checkBytes, type SourceRow, statOfSource, versionOf } from './source.ts'
import type { Workshop } from './workshop.ts'

export interface Commission {
  readonly storage: Storage
  readonly file: SourceRow
  readonly request: ImageRequest
  /** How the key of the variant begins. */
  readonly place: string
}

/** Makes the variant when it is its turn, unless somebody else has made it meanwhile. */
export async function makeVariant(
  workshop: Workshop,
  commission: Commission,
  signal: AbortSignal,
): Promise<Found> {
  const { storage, place } = commission
  const giveBack = await workshop.queue.slot(signal)
  const { timeoutMs } = workshop.allowance.limits
  const deadline = performance.now() + timeoutMs
  const work = (async () => {
    const found = await workshop.shelf.find(storage, place)
    return found ?? (await makeAnew(workshop, commission, { signal, deadline }))
  })()
  // The slot is taken until the work has really ended, even if nobody waits for that any more.
  work.then(giveBack, giveBack)
  return await inTime(work, timeoutMs)
}

/** The library looks at its clock once a second at most, and a storage never. */
async function inTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(outOfTime()), milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

interface Bounds {
  readonly signal: AbortSignal
  readonly deadline: number
}

async function makeAnew(
  workshop: Workshop,
  commission: Commission,
  { signal, deadline }: Bounds,
): Promise<Found> {
  const { storage, file, place } = commission
  const { limits } = workshop.allowance
  const library = await workshop.loadLibrary()
  const before = await statOfSource(storage, file)
  checkBytes(before.size, limits)
  const bytes = await bytesOfSource(storage, file, { limits, signal })
  const { request } = commission
  const making = { request, focus: focusOf(request, file), limits, signal, deadline }
  const made = await makePicture(library, bytes, making)
  const key = keyOf(place, made)
  const found = await publish(commission, { key, made, version: versionOf(before) }, signal)
  workshop.shelf.remember(place, key)
  await workshop.tidying.stored(storage, file.id, { key, size: made.data.length })
  return found
}

interface Finished {
  readonly key: string
  readonly made: Made
  /** The version of the source that it was made of. */
  readonly version: string
}

async function publish(
  { storage, file }: Commission,
  { key, made, version }: Finished,
  signal: AbortSignal,
): Promise<Found> {
  const { type } = formatRow(made.format)
  await storage.write(key, made.data, { type, signal })
  // What was made of a file that is gone would never be deleted: whoever deleted the file has looked for variants already.
  const after = await storage.stat(file.filename_disk)
  if (after && versionOf(after) === version) {
    // Somebody may have purged the variants just now; it is made again then, when it is opened.
    const stat = (await storage.stat(key)) ?? { size: made.data.length, lastModified: new Date() }
    return { key, stat }
  }
  await storage.delete(key)
  if (!after) throw fault('NOT_FOUND', 'There is no such file, or you may not see it.')
  throw fault('SERVICE_UNAVAILABLE', 'The file was changed while a picture was made of it.', {
    extensions: { retryAfter: 1 },
  })
}
