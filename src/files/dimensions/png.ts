import { type DimensionsReader, nameAt, type ReadAt } from './bytes.ts'
import { tagsAt, turned } from './tiff.ts'

export const png: DimensionsReader = async (read) => {
  const view = await read(12, 12)
  if (!view || nameAt(view, 0) !== 'IHDR') return undefined
  return turned({ width: view.getUint32(4), height: view.getUint32(8) }, await orientationIn(read))
}

/** Offset behind the signature. */
const firstChunk = 8
const mostChunks = 64

/** Reads the orientation. Chunks behind the image are ignored, as the image library does. */
async function orientationIn(read: ReadAt): Promise<number | undefined> {
  let at = firstChunk
  for (let chunk = 0; chunk < mostChunks; chunk++) {
    const head = await read(at, 8)
    if (!head || nameAt(head, 4) === 'IDAT') return undefined
    if (nameAt(head, 4) === 'eXIf') return (await tagsAt(read, at + 8)).orientation
    // The length does not include itself, the name and the checksum.
    at += 12 + head.getUint32(0)
  }
  return undefined
}
