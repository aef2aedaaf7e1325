// Width and height of an image, as it is shown. Nothing is decoded for it.
import { avif } from './avif.ts'
import { type Dimensions, type DimensionsReader, nameAt, type ReadAt } from './bytes.ts'
import { jpeg } from './jpeg.ts'
import { tagsAt, tiff, turned } from './tiff.ts'
import { webp } from './webp.ts'

// Formats with their dimensions at a fixed offset.
const gif: DimensionsReader = async (read) => {
  const view = await read(6, 4)
  return view && { width: view.getUint16(0, true), height: view.getUint16(2, true) }
}

const bmp: DimensionsReader = async (read) => {
  const view = await read(14, 12)
  if (!view) return undefined
  if (view.getUint32(0, true) === 12)
    return { width: view.getUint16(4, true), height: view.getUint16(6, true) }
  // An image that is stored from top to bottom has a negative height.
  return { width: view.getInt32(4, true), height: Math.abs(view.getInt32(8, true)) }
}

const png: DimensionsReader = async (read) => {
  const view = await read(12, 12)
  if (!view || nameAt(view, 0) !== 'IHDR') return undefined
  return turned({ width: view.getUint32(4), height: view.getUint32(8) }, await orientationIn(read))
}

const readers: Readonly<Record<string, DimensionsReader>> = {
  'image/jpeg': jpeg,
  'image/png': png,
  'image/gif': gif,
  'image/webp': webp,
  'image/tiff': tiff,
  'image/avif': avif,
  'image/heic': avif,
  'image/bmp': bmp,
}

/** Returns the dimensions. Undefined if a file of this type has none, or does not contain them. */
export async function dimensionsOf(type: string, read: ReadAt): Promise<Dimensions | undefined> {
  const found = Object.hasOwn(readers, type) ? await readers[type]?.(read) : undefined
  return found && isPossible(found.width) && isPossible(found.height) ? found : undefined
}

const isPossible = (side: number): boolean => side >= 1 && side <= 2_147_483_647

/** Offset behind the signature. */
const firstChunk = 8
const maxChunks = 64

/** Reads the orientation. Chunks behind the image are ignored, as the image library does. */
async function orientationIn(read: ReadAt): Promise<number | undefined> {
  let at = firstChunk
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const head = await read(at, 8)
    if (!head || nameAt(head, 4) === 'IDAT') return undefined
    if (nameAt(head, 4) === 'eXIf') return (await tagsAt(read, at + 8)).orientation
    // The length does not include itself, the name and the checksum.
    at += 12 + head.getUint32(0)
  }
  return undefined
}
