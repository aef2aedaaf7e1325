import { type Dimensions, type DimensionsReader, nameAt, type ReadAt } from './bytes.ts'
import { tagsAt, turned } from './tiff.ts'

const forms: Readonly<Record<string, (chunk: DataView) => Dimensions | undefined>> = {
  'VP8 ': (chunk) =>
    chunk.getUint8(3) === 0x9d
      ? { width: chunk.getUint16(6, true) & 0x3fff, height: chunk.getUint16(8, true) & 0x3fff }
      : undefined,
  VP8L: (chunk) => {
    const bits = chunk.getUint32(1, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
  VP8X: (chunk) => ({ width: threeBytes(chunk, 4) + 1, height: threeBytes(chunk, 7) + 1 }),
}

const threeBytes = (view: DataView, at: number): number =>
  view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

export const webp: DimensionsReader = async (read) => {
  const head = await read(12, 18)
  if (!head) return undefined
  const form = nameAt(head, 0)
  const found = forms[form]?.(new DataView(head.buffer, head.byteOffset + 8, 10))
  const hasExif = form === 'VP8X' && (head.getUint8(8) & 0x08) !== 0
  return found && hasExif ? turned(found, await orientationIn(read)) : found
}

const maxChunks = 64

/** Reads the orientation from the metadata behind the image. */
async function orientationIn(read: ReadAt): Promise<number | undefined> {
  let at = 12
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const head = await read(at, 8)
    if (!head) return undefined
    if (nameAt(head, 0) === 'EXIF') {
      const start = await read(at + 8, 4)
      // Some writers put the name of the JPEG segment before it.
      const skipped = start && nameAt(start, 0) === 'Exif' ? 6 : 0
      return (await tagsAt(read, at + 8 + skipped)).orientation
    }
    const length = head.getUint32(4, true)
    at += 8 + length + (length % 2)
  }
  return undefined
}
