// Makes a variant and stores it: whole, or not at all.
import { fault } from '../errors/errors.ts'
import { formatRow } from '../images/image-formats.ts'
import type { ImageRequest } from '../images/image-request.ts'
import { outOfTime } from '../images/run-steps.ts'
import { type Made, makePicture } from '../images/transform.ts'
import type { Storage } from '../storage/storage.ts'
import type { Renderer } from './renderer.ts'
import { bytesOfSource, checkBytes, type SourceRow, statOfSource, versionOf } from './source-file.ts'
import { focusOf } from './variant-identity.ts'
import type { FoundVariant, Fresh } from './variant-index.ts'
import { variantKeyOf } from './variant-key.ts'

export interface RenderJob {
  readonly storage: Storage
  readonly file: SourceRow
  readonly request: ImageRequest
  /** The beginning of the variant's key. */
  readonly folder: string
}

/** Makes the variant as soon as a slot is free. */
export async function makeVariant(renderer: Renderer, job: RenderJob, signal: AbortSignal): Promise<Fresh> {
  const leave = await renderer.sourceSlots.slot(signal)
  const timeout = newTimeout(renderer.allowance.limits.timeoutMs)
  const work = renderJob(renderer, job, { signal, timeout, leave })
  // The slot stays taken until the picture is made or the work has really failed, even if no caller waits for it any more.
  const end = () => {
    timeout.stop()
    leave()
  }
  work.then(end, end)
  return await Promise.race([work, timeout.expired])
}

interface RenderBounds {
  readonly signal: AbortSignal
  readonly timeout: Timeout
  /** Frees the slot for the next in the queue. */
  readonly leave: () => void
}

async function renderJob(
  renderer: Renderer,
  job: RenderJob,
  { signal, timeout, leave }: RenderBounds,
): Promise<Fresh> {
  const { storage, file, folder } = job
  const { limits } = renderer.allowance
  timeout.start()
  const before = await statOfSource(storage, file)
  checkBytes(before.size, limits)
  const version = versionOf(before)
  const read = (wanted: AbortSignal) => bytesOfSource(storage, file, before.size, wanted)
  const made = await renderer.sources.use(`${file.filename_disk} ${version}`, read, signal, (bytes) => {
    // The time that others take does not count against its timeout.
    timeout.stop()
    return render(renderer, job, bytes, { signal, timeout })
  })
  // The rest is small, and mostly waits for the storage.
  leave()
  const found = await publish(job, { made, version }, signal)
  renderer.index.remember(folder, found)
  await renderer.eviction.stored(storage, file.id, found)
  return { ...found, data: made.data }
}

async function render(
  { allowance: { limits }, renderSlots, loadLibrary }: Renderer,
  { file, request }: RenderJob,
  bytes: Uint8Array,
  { signal, timeout }: Pick<RenderBounds, 'signal' | 'timeout'>,
): Promise<Made> {
  const giveBack = await renderSlots.slot(signal)
  try {
    const deadline = timeout.start()
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
  { storage, file, folder }: RenderJob,
  { made, version }: Finished,
  signal: AbortSignal,
): Promise<FoundVariant> {
  const { data, ...look } = made
  const known = { ...look, size: data.length }
  const key = variantKeyOf(folder, known)
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

/** A timeout for slow work: the library checks its own once a second at most, and a storage never. */
interface Timeout {
  /** Rejects when the time is up. */
  readonly expired: Promise<never>
  /** Starts the timeout again, and returns when it will end. */
  readonly start: () => number
  readonly stop: () => void
}

function newTimeout(milliseconds: number): Timeout {
  let timer: NodeJS.Timeout | undefined
  let ring: (error: unknown) => void
  const expired = new Promise<never>((_, reject) => {
    ring = reject
  })
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(() => ring(outOfTime()), milliseconds)
    return performance.now() + milliseconds
  }
  return { expired, start, stop }
}
