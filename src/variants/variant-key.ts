// Keys of variants. A key describes its variant, so that none is opened or queried to find out.
import { type Format, formatNames } from '../images/image-formats.ts'
import { variantsOf } from '../storage/variant-prefix.ts'

export interface VariantKey {
  readonly width: number
  readonly height: number
  readonly size: number
  readonly format: Format
}

/** The beginning of the key of a variant, before its size. */
export const variantFolderOf = (id: string, identity: string): string => `${variantsOf(id)}${identity}-`

/** Returns the beginning of a variant's key, before its size. */
export const variantFolderIn = (key: string): string =>
  key.slice(0, key.indexOf('-', key.lastIndexOf('/')) + 1)

export const variantKeyOf = (folder: string, { width, height, size, format }: VariantKey): string =>
  `${folder}${width}x${height}-${size}.${format}`

export function readVariantKey(key: string): VariantKey | undefined {
  const [, width, height, size, extension] = /-(\d+)x(\d+)-(\d+)\.(\w+)$/.exec(key) ?? []
  const format = formatNames.find((name) => name === extension)
  return format && { width: Number(width), height: Number(height), size: Number(size), format }
}
