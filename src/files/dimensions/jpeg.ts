import { type DimensionsReader, nameAt, type ReadAt } from './bytes.ts'
import { tagsAt, turned } from './tiff.ts'

/** Maximum number of segments before the image, more than cameras write. */
const maxSegments = 400

export const jpeg: DimensionsReader = async (read) => {
  let orientation: number | undefined
  let at = 2
  for (let segment = 0; segment < maxSegments; segment++) {
    const head = await read(at, 4)
    if (head?.getUint8(0) !== 0xff) return undefined
    const marker = head.getUint8(1)
    if (marker === 0xff) at += 1
    else if (isAlone(marker)) at += 2
    else if (isFrame(marker)) {
      const frame = await read(at + 5, 4)
      return frame && turned({ width: frame.getUint16(2), height: frame.getUint16(0) }, orientation)
    } else if (marker === startOfScan) return undefined
    else {
      if (marker === application1) orientation ??= await orientationAt(read, at + 4)
      at += 2 + head.getUint16(2)
    }
  }
  return undefined
}

const startOfScan = 0xda
const application1 = 0xe1

/** True for markers without a segment behind them. */
const isAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9)

/** True for markers of frames. Three in their range mark tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

async function orientationAt(read: ReadAt, at: number): Promise<number | undefined> {
  const name = await read(at, 6)
  if (!name || nameAt(name, 0) !== 'Exif') return undefined
  return (await tagsAt(read, at + 6)).orientation
}
