// Makes a variant and stores it: whole, or not at all.
import { fault } from '../../errors.ts'
import type { Storage } from '../../storage/storage.ts'
import { formatRow } from '../image/formats.ts'
import { type Made, makePicture } from '../image/make.ts'
import { outOfTime } from '../image/perform.ts'
import type { ImageRequest } from '../image/request.ts'
import { focusOf } from './identity.ts'
import { keyOf } from './place.ts'
import type { Found, Fresh } from './shelf.ts'
import { bytesOfSource, checkBytes, type SourceRow, statOfSource, versionOf } from './source.ts'
import type { Workshop } from './workshop.ts'

export interface Commission {
  readonly storage: Storage
  readonly file: SourceRow
  readonly request: ImageRequest
  /** How the key of the variant begins. */
  readonly place: string
}

/** Makes the variant when it is its turn. */
export async function makeVariant(
  workshop: Workshop,
  commission: Commission,
  signal: AbortSignal,
): Promise<Fresh> {
  const giveBack = await workshop.queue.slot(signal)
  const { timeoutMs } = workshop.allowance.limits
  const deadline = performance.now() + timeoutMs
  const work = makeAnew(workshop, commission, { signal, deadline, giveBack })
  // Until the picture is made or the work has really failed the slot is taken, even if nobody waits for that any more.
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
  /** Lets the next one work. */
  readonly giveBack: () => void
}

async function makeAnew(
  workshop: Workshop,
  commission: Commission,
  { signal, deadline, giveBack }: Bounds,
): Promise<Fresh> {
  const { storage, file, place } = commission
  const { limits } = workshop.allowance
  const library = await workshop.loadLibrary()
  const before = await statOfSource(storage, file)
  checkBytes(before.size, limits)
  const bytes = await bytesOfSource(storage, file, { limits, signal })
  const { request } = commission
  const making = { request, focus: focusOf(request, file), limits, signal, deadline }
  const made = await makePicture(library, bytes, making)
  // What is left is small, and waits for the storage more than it works.
  giveBack()
  const found = await publish(commission, { made, version: versionOf(before) }, signal)
  workshop.shelf.remember(place, found)
  await workshop.tidying.stored(storage, file.id, found)
  return { ...found, data: made.data }
}

interface Finished {
  readonly made: Made
  /** The version of the source that it was made of. */
  readonly version: string
}

async function publish(
  { storage, file, place }: Commission,
  { made, version }: Finished,
  signal: AbortSignal,
): Promise<Found> {
  const { data, ...look } = made
  const known = { ...look, size: data.length }
  const key = keyOf(place, known)
  await storage.write(key, data, { type: formatRow(made.format).type, signal, isLasting: false })
  // What was made of a file that is gone would never be deleted: whoever deleted the file has looked for variants already.
  const [after, stat] = await Promise.all([storage.stat(file.filename_disk), storage.stat(key)])
  // Somebody may have purged the variants just now; it is made again then, when it is opened.
  if (after && versionOf(after) === version)
    return { ...known, key, lastModified: stat?.lastModified ?? new Date() }
  await storage.delete(key)
  if (!after) throw fault('NOT_FOUND', 'There is no such file, or you may not see it.')
  throw fault('SERVICE_UNAVAILABLE', 'The file was changed while a picture was made of it.', {
    extensions: { retryAfter: 1 },
  })
}
