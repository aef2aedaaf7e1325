import { type Dimensions, type DimensionsReader, nameAt, type ReadAt } from './bytes.ts'

interface AvifBox {
  readonly name: string
  /** Offsets of the beginning and the end of the content. */
  readonly from: number
  readonly until: number
}

const maxBoxes = 256
const wholeFile = Number.MAX_SAFE_INTEGER

export const avif: DimensionsReader = async (read) => {
  const meta = await boxIn(read, 'meta', 0, wholeFile)
  // Four bytes of flags precede the boxes inside.
  const properties = meta && (await boxIn(read, 'iprp', meta.from + 4, meta.until))
  const held = properties && (await boxIn(read, 'ipco', properties.from, properties.until))
  if (!held) return undefined
  let largest: Dimensions | undefined
  let isTurned = false
  for await (const { name, from } of boxesIn(read, held.from, held.until)) {
    if (name === 'irot') isTurned = (((await read(from, 1))?.getUint8(0) ?? 0) & 1) === 1
    const extents = name === 'ispe' ? await read(from + 4, 8) : undefined
    const found = extents && { width: extents.getUint32(0), height: extents.getUint32(4) }
    // Tiles and thumbnails have dimensions, too, and are smaller than the image.
    if (found && found.width * found.height > (largest ? largest.width * largest.height : 0)) largest = found
  }
  return largest && isTurned ? { width: largest.height, height: largest.width } : largest
}

async function boxIn(read: ReadAt, name: string, from: number, until: number): Promise<AvifBox | undefined> {
  for await (const box of boxesIn(read, from, until)) if (box.name === name) return box
  return undefined
}

async function* boxesIn(read: ReadAt, from: number, until: number): AsyncGenerator<AvifBox> {
  let at = from
  for (let box = 0; box < maxBoxes && at + 8 <= until; box++) {
    const head = await read(at, 8)
    // Boxes of 64 bits hold films.
    if (!head || head.getUint32(0) < 8) return
    const end = at + head.getUint32(0)
    yield { name: nameAt(head, 4), from: at + 8, until: Math.min(end, until) }
    at = end
  }
}
