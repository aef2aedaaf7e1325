// Where variants are. Their keys tell what they are, so that none is opened or asked for to find out.
import { type Format, formatNames } from '../images/image-formats.ts'

/** What all variants are kept below. */
export const allVariants = 'variants/'

/** What all that was made of a file is kept below. */
export const variantsOf = (id: string): string => `${allVariants}${id}/`

/** What is known of a variant by its key. */
export interface VariantKey {
  readonly width: number
  readonly height: number
  /** How many bytes it has. */
  readonly size: number
  readonly format: Format
}

/** How the key of a variant begins. */
export const variantFolderOf = (id: string, identity: string): string => `${variantsOf(id)}${identity}-`

/** The beginning of the key of a variant. */
export const variantFolderIn = (key: string): string =>
  key.slice(0, key.indexOf('-', key.lastIndexOf('/')) + 1)

export const variantKeyOf = (place: string, { width, height, size, format }: VariantKey): string =>
  `${place}${width}x${height}-${size}.${format}`

/** What a key says of the variant; undefined if it is none of ours. */
export function readVariantKey(key: string): VariantKey | undefined {
  const [, width, height, size, extension] = /-(\d+)x(\d+)-(\d+)\.(\w+)$/.exec(key) ?? []
  const format = formatNames.find((name) => name === extension)
  return format && { width: Number(width), height: Number(height), size: Number(size), format }
}
