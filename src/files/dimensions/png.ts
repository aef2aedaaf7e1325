import { type DimensionsReader, nameAt, type ReadAt } from './bytes.ts'
import { tagsAt, turned } from './tiff.ts'

export const png: DimensionsReader = async (read) => {
  const view = await read(12, 12)
  if (!view || nameAt(view, 0) !== 'IHDR') return undefined
  return turned({ width: view.getUint32(4), height: view.getUint32(8) }, await orientationIn(read))
}

/** Behind the signature. */
const firstChunk = 8
const mostChunks = 64

/** Behind the picture nobody looks for it, the image library neither. */
async function orientationIn(read: ReadAt): Promise<number | undefined> {
  let at = firstChunk
  for (let chunk = 0; chunk < mostChunks; chunk++) {
    const head = await read(at, 8)
    if (!head || nameAt(head, 4) === 'IDAT') return undefined
    if (nameAt(head, 4) === 'eXIf') return (await tagsAt(read, at + 8)).orientation
    // Its length, its name and a sum of it are not counted.
    at += 12 + head.getUint32(0)
  }
  return undefined
}
