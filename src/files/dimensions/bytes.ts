// Random access to the bytes of a file: those at its beginning are in memory, and others are read on demand.

/** Returns some bytes of a file, or undefined if it ends before. */
export type ReadAt = (at: number, length: number) => Promise<DataView | undefined>

export interface Dimensions {
  readonly width: number
  readonly height: number
}

/** Reads the dimensions from a kind of image. Undefined if it has none. */
export type DimensionsReader = (read: ReadAt) => Promise<Dimensions | undefined>

const windowLength = 16_384

/** Creates a reader. `fetch` returns as many of the requested bytes as exist. */
export function readerOf(
  head: Uint8Array,
  size: number,
  fetch: (start: number, end: number) => Promise<Uint8Array>,
): ReadAt {
  let held = { at: 0, bytes: head }
  const within = (at: number, length: number) => at >= held.at && at + length <= held.at + held.bytes.length
  return async (at, length) => {
    if (at < 0 || at + length > size) return undefined
    if (!within(at, length))
      held = { at, bytes: await fetch(at, Math.min(at + Math.max(length, windowLength), size) - 1) }
    if (!within(at, length)) return undefined
    const { buffer, byteOffset } = held.bytes
    return new DataView(buffer, byteOffset + at - held.at, length)
  }
}

/** Returns a name of four characters. */
export const nameAt = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))
