// Where variants are. Their keys tell what they are, so that none is opened to find out.
import { type Format, formatNames } from '../image/formats.ts'

/** What all variants are kept below. */
export const allVariants = 'variants/'

/** What all that was made of a file is kept below. */
export const variantsOf = (id: string): string => `${allVariants}${id}/`

export interface Made {
  readonly width: number
  readonly height: number
  readonly format: Format
}

/** How the key of a variant begins. */
export const placeOf = (id: string, identity: string): string => `${variantsOf(id)}${identity}-`

export const keyOf = (place: string, { width, height, format }: Made): string =>
  `${place}${width}x${height}.${format}`

/** What a key says of the variant; undefined if it is none of ours. */
export function readKey(key: string): Made | undefined {
  const [, width, height, extension] = /-(\d+)x(\d+)\.(\w+)$/.exec(key) ?? []
  const format = formatNames.find((name) => name === extension)
  return format && { width: Number(width), height: Number(height), format }
}
