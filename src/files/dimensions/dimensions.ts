// Width and height of an image, as it is shown. Nothing is decoded for it.
import { avif } from './avif.ts'
import type { Dimensions, DimensionsReader, ReadAt } from './bytes.ts'
import { jpeg } from './jpeg.ts'
import { bmp, gif } from './plain.ts'
import { png } from './png.ts'
import { tiff } from './tiff.ts'
import { webp } from './webp.ts'

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
