import { plainFault } from '../../errors/code-texts.ts'
import { unreachable } from '../../errors/errors.ts'
import type { WriteOptions } from '../storage.ts'
import type { CallOptions, NumberedPart, ObjectInput, S3Client, SentPart, UploadInput } from './client.ts'

/** The maximum number of parts of one object in S3. */
const maxParts = 10_000

/** Sends what fits in one part as a whole, and anything longer part by part. Either becomes visible all at
 *  once, or not at all. */
export async function upload(
  client: S3Client,
  object: ObjectInput,
  chunks: AsyncIterable<Uint8Array>,
  { partSize, signal, type }: WriteOptions & { readonly partSize: number },
): Promise<void> {
  const options = signal ? { abortSignal: signal } : {}
  const content = type === undefined ? object : { ...object, ContentType: type }
  let longer: Multipart | undefined
  try {
    for await (const { bytes, isLast } of partsOf(chunks, partSize)) {
      if (isLast && !longer) {
        await client.putObject({ ...content, Body: bytes }, options)
        return
      }
      longer ??= await begin(client, object, content, options)
      await longer.add(bytes)
    }
    signal?.throwIfAborted()
    await longer?.complete()
  } catch (error) {
    await longer?.abandon()
    throw error
  }
}

interface Multipart {
  add(bytes: Uint8Array): Promise<void>
  complete(): Promise<void>
  abandon(): Promise<void>
}

async function begin(
  client: S3Client,
  object: ObjectInput,
  content: ObjectInput,
  options: CallOptions,
): Promise<Multipart> {
  const { UploadId } = await client.createMultipartUpload(content, options)
  if (UploadId === undefined) throw unreachable('an upload without an id')
  const input: UploadInput = { ...object, UploadId }
  const parts: NumberedPart[] = []
  return {
    async add(bytes) {
      const PartNumber = parts.length + 1
      if (PartNumber > maxParts) throw plainFault('CONTENT_TOO_LARGE')
      const sent = await client.uploadPart({ ...input, PartNumber, Body: bytes }, options)
      parts.push({ PartNumber, ...knownBy(sent) })
    },
    async complete() {
      await client.completeMultipartUpload({ ...input, MultipartUpload: { Parts: parts } }, options)
    },
    async abandon() {
      // Without the signal, which may be what ended it. The earlier error is the one to report.
      await client.abortMultipartUpload(input).catch(() => undefined)
    },
  }
}

function knownBy(sent: SentPart): SentPart {
  const { ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256 } = sent
  return { ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256 }
}

interface UploadPart {
  /** Valid until the next part is read, which may reuse the same memory. */
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Gathers chunks into parts of one size; only the last one is smaller. Keeps no more than one part in memory,
 *  and no more than there is. */
async function* partsOf(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<UploadPart> {
  let held: Uint8Array = new Uint8Array(Math.min(size, 64 * 1024))
  let length = 0
  for await (const chunk of chunks) {
    for (let done = 0; done < chunk.length; ) {
      if (length === size) {
        yield { bytes: held, isLast: false }
        length = 0
      }
      const taken = chunk.subarray(done, done + size - length)
      held = roomFor(held, length, length + taken.length, size)
      held.set(taken, length)
      length += taken.length
      done += taken.length
    }
  }
  yield { bytes: held.subarray(0, length), isLast: true }
}

function roomFor(held: Uint8Array, length: number, needed: number, max: number): Uint8Array {
  if (needed <= held.length) return held
  const larger = new Uint8Array(Math.min(max, Math.max(needed, held.length * 2)))
  larger.set(held.subarray(0, length))
  return larger
}
