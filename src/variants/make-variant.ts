// Makes a variant and stores it: whole, or not at all.
import { fault } from '../errors/errors.ts'
import { formatRow } from '../images/image-formats.ts'
import type { ImageRequest } from '../images/image-request.ts'
import { type Made, makePicture } from '../images/transform.ts'
import type { Storage } from '../storage/storage.ts'
import type { RenderSlots } from './render-slots.ts'
import { bytesOfSource, checkBytes, type SourceRow, statOfSource, versionOf } from './source-file.ts'
import { newTimeout, type Timeout } from './timeout.ts'
import { focusOf } from './variant-identity.ts'
import type { FoundVariant, Fresh } from './variant-index.ts'
import { variantKeyOf } from './variant-key.ts'

export interface Commission {
  readonly storage: Storage
  readonly file: SourceRow
  readonly request: ImageRequest
  /** The beginning of the variant's key. */
  readonly place: string
}

/** Makes the variant as soon as a slot is free. */
export async function makeVariant(
  workshop: RenderSlots,
  commission: Commission,
  signal: AbortSignal,
): Promise<Fresh> {
  const leave = await workshop.seats.slot(signal)
  const alarm = newTimeout(workshop.allowance.limits.timeoutMs)
  const work = makeAnew(workshop, commission, { signal, alarm, leave })
  // The slot stays taken until the picture is made or the work has really failed, even if no caller waits for it any more.
  const end = () => {
    alarm.stop()
    leave()
  }
  work.then(end, end)
  return await Promise.race([work, alarm.rung])
}

interface RenderBounds {
  readonly signal: AbortSignal
  readonly alarm: Timeout
  /** Frees the slot for the next in the queue. */
  readonly leave: () => void
}

async function makeAnew(
  workshop: RenderSlots,
  commission: Commission,
  { signal, alarm, leave }: RenderBounds,
): Promise<Fresh> {
  const { storage, file, place } = commission
  const { limits } = workshop.allowance
  alarm.start()
  const before = await statOfSource(storage, file)
  checkBytes(before.size, limits)
  const version = versionOf(before)
  const read = (wanted: AbortSignal) => bytesOfSource(storage, file, before.size, wanted)
  const made = await workshop.sources.use(`${file.filename_disk} ${version}`, read, signal, (bytes) => {
    // The time that others take does not count against its timeout.
    alarm.stop()
    return makeAtDesk(workshop, commission, bytes, { signal, alarm })
  })
  // The rest is small, and mostly waits for the storage.
  leave()
  const found = await publish(commission, { made, version }, signal)
  workshop.shelf.remember(place, found)
  await workshop.tidying.stored(storage, file.id, found)
  return { ...found, data: made.data }
}

async function makeAtDesk(
  { allowance: { limits }, desks, loadLibrary }: RenderSlots,
  { file, request }: Commission,
  bytes: Uint8Array,
  { signal, alarm }: Pick<RenderBounds, 'signal' | 'alarm'>,
): Promise<Made> {
  const giveBack = await desks.slot(signal)
  try {
    const deadline = alarm.start()
    const library = await loadLibrary()
    return await makePicture(library, bytes, {
      request,
      focus: focusOf(request, file),
      limits,
      signal,
      deadline,
    })
  } finally {
    giveBack()
  }
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
): Promise<FoundVariant> {
  const { data, ...look } = made
  const known = { ...look, size: data.length }
  const key = variantKeyOf(place, known)
  await storage.write(key, data, { type: formatRow(made.format).type, signal, isLasting: false })
  // A variant of a deleted file would never be deleted: the deletion has listed the variants already.
  const [after, stat] = await Promise.all([storage.stat(file.filename_disk), storage.stat(key)])
  // Another caller may have purged the variants just now; then it is made again when it is opened.
  if (after && versionOf(after) === version)
    return { ...known, key, lastModified: stat?.lastModified ?? new Date() }
  await storage.delete(key)
  if (!after) throw fault('NOT_FOUND', 'There is no such file, or you may not see it.')
  throw fault('SERVICE_UNAVAILABLE', 'The file was changed while a picture was made of it.', {
    extensions: { retryAfter: 1 },
  })
}
