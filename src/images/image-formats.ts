// Image formats for reading and writing: one row per format.
import type { Metadata, Sharp } from 'sharp'
import { white } from './colour.ts'

/** The animation of a picture. */
export interface Motion {
  /** The number of times it is played; 0 is without end. */
  readonly loop: number
  /** The duration of each frame in milliseconds. */
  readonly delay: readonly number[]
}

interface ImageFormatRow {
  readonly type: string
  readonly doc: string
  readonly longestSide: number
  readonly moves: boolean
  /** The bytes of memory per pixel that reading a file takes, however small the result. Measured; 0 where it is
   *  read line by line. */
  readonly held: (source: Metadata) => number
  /** The default quality. Undefined where a file without a quality is lossless. */
  readonly quality: number | undefined
  readonly encode: (image: Sharp, quality: number | undefined, motion: Motion | undefined) => Sharp
}

const isDeep = ({ depth }: Metadata): boolean => depth !== 'uchar'

/** The bytes per pixel of a progressive file: all scans are gathered before the first line is known, two bytes
 *  for each value. */
function heldByScans({ isProgressive, channels, chromaSubsampling }: Metadata): number {
  if (!isProgressive) return 0
  const isHalved = chromaSubsampling === '4:2:0' || channels === 1
  return isHalved ? 3 : 2 * channels
}

const played = (motion: Motion | undefined) =>
  motion ? { loop: motion.loop, delay: [...motion.delay] } : undefined

export const formats = {
  jpg: {
    type: 'image/jpeg',
    doc: 'For photographs. Transparent pixels become white.',
    longestSide: 65_535,
    moves: false,
    held: heldByScans,
    quality: 80,
    encode: (image, quality) => image.flatten({ background: white }).jpeg({ quality }),
  },
  png: {
    type: 'image/png',
    doc: 'Lossless; with a `quality` below 100 it has at most 256 colours.',
    longestSide: 65_535,
    moves: false,
    // An interlaced file needs passes over the whole picture.
    held: (source) => (source.isProgressive ? (isDeep(source) ? 8.5 : 4.5) : 0),
    quality: undefined,
    encode: (image, quality) => image.png(quality === undefined || quality === 100 ? {} : { quality }),
  },
  webp: {
    type: 'image/webp',
    doc: 'Smaller than jpg, with transparency and animation.',
    longestSide: 16_383,
    moves: true,
    held: () => 8,
    quality: 80,
    encode: (image, quality, motion) => image.webp({ quality, ...played(motion) }),
  },
  avif: {
    type: 'image/avif',
    doc: 'The smallest, and the slowest to make. Written with effort 2 of 9.',
    longestSide: 16_384,
    moves: false,
    held: (source) => (isDeep(source) ? 25 : 19),
    quality: 50,
    // The usual effort of 4 takes seven times as long, and files are hardly smaller.
    encode: (image, quality) => image.avif({ quality, effort: 2 }),
  },
  tiff: {
    type: 'image/tiff',
    doc: 'Lossless; with a `quality` below 100 it is compressed like jpg.',
    longestSide: 65_535,
    moves: false,
    held: () => 0,
    quality: undefined,
    encode: (image, quality) =>
      quality === undefined || quality === 100
        ? image.tiff({ compression: 'lzw', predictor: 'horizontal' })
        : image.flatten({ background: white }).tiff({ compression: 'jpeg', quality }),
  },
  gif: {
    type: 'image/gif',
    doc: 'At most 256 colours, of which `quality` is the share, with animation.',
    longestSide: 65_535,
    moves: true,
    held: () => 5,
    quality: 100,
    encode: (image, quality, motion) =>
      image.gif({ colours: Math.max(2, Math.round((quality ?? 100) * 2.56)), ...played(motion) }),
  },
} as const satisfies Record<string, ImageFormatRow>

export type Format = keyof typeof formats
export const formatNames = Object.keys(formats) as readonly Format[]

/** The row of a format, in the type that all formats share. */
export const formatRow = (name: Format): ImageFormatRow => formats[name]

export const formatOfType = (type: string | undefined): Format | undefined =>
  formatNames.find((name) => formats[name].type === type)
