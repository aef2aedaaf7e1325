export interface UploadPart {
  /** Valid until the next part is read, which may reuse the same memory. */
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Gathers chunks into parts of one size; only the last one is smaller. Keeps no more than one part in memory,
 *  and no more than there is. */
export async function* partsOf(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<UploadPart> {
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

function roomFor(held: Uint8Array, length: number, needed: number, most: number): Uint8Array {
  if (needed <= held.length) return held
  const larger = new Uint8Array(Math.min(most, Math.max(needed, held.length * 2)))
  larger.set(held.subarray(0, length))
  return larger
}
