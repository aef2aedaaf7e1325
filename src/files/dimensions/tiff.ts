import { type Dimensions, type DimensionsReader, nameAt, type ReadAt } from './bytes.ts'

const tags = { width: 256, height: 257, orientation: 274 } as const
type TiffTag = keyof typeof tags

const maxEntries = 512

/** Reads the tags of the first directory of a TIFF that begins at an offset; EXIF is a TIFF, too. */
export async function tagsAt(read: ReadAt, base: number): Promise<Partial<Record<TiffTag, number>>> {
  const header = await read(base, 8)
  const order = header && nameAt(header, 0)
  if (!header || (order !== 'II*\0' && order !== 'MM\0*')) return {}
  const isLittle = order === 'II*\0'
  const directory = base + header.getUint32(4, isLittle)
  const count = (await read(directory, 2))?.getUint16(0, isLittle) ?? 0
  const found: Partial<Record<TiffTag, number>> = {}
  for (let index = 0; index < Math.min(count, maxEntries); index++) {
    const entry = await read(directory + 2 + index * 12, 12)
    if (!entry) break
    const name = tagOf(entry.getUint16(0, isLittle))
    const value = name && valueIn(entry, isLittle)
    if (name && value !== undefined) found[name] = value
  }
  return found
}

const tagOf = (number: number): TiffTag | undefined =>
  number === tags.width
    ? 'width'
    : number === tags.height
      ? 'height'
      : number === tags.orientation
        ? 'orientation'
        : undefined

/** Reads a number of 16 or 32 bits. */
function valueIn(entry: DataView, isLittle: boolean): number | undefined {
  const kind = entry.getUint16(2, isLittle)
  if (kind === 3) return entry.getUint16(8, isLittle)
  return kind === 4 ? entry.getUint32(8, isLittle) : undefined
}

/** Returns the dimensions of an image as it is shown: if it is rotated by 90°, its width is the stored height. */
export const turned = ({ width, height }: Dimensions, orientation: number | undefined): Dimensions =>
  orientation !== undefined && orientation >= 5 && orientation <= 8
    ? { width: height, height: width }
    : { width, height }

export const tiff: DimensionsReader = async (read) => {
  const { width, height, orientation } = await tagsAt(read, 0)
  return width === undefined || height === undefined ? undefined : turned({ width, height }, orientation)
}
