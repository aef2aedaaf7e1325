// Facts of a source that are known before it is decoded.
import type { Metadata } from 'sharp'
import { fault } from '../errors/errors.ts'
import { type Format, formatRow, type Motion } from './image-formats.ts'
import type { Size } from './image-size.ts'
import type { ImageLibrary } from './load-sharp.ts'
import { type Turn, turnOf } from './orientation.ts'
import { formatOfContent } from './signature.ts'

export interface SourceFacts extends Size {
  readonly format: Format
  /** The rotation that makes it upright. The sizes are those after it. */
  readonly turn: Turn
  readonly frames: number
  readonly hasAlpha: boolean
  /** The minimum bytes of memory that reading it takes. */
  readonly held: number
  /** Undefined for a still picture. */
  readonly motion: Motion | undefined
}

/** Reads the header of a source, once for all variants of the same bytes. Its name and type are not trusted,
 *  only its bytes. */
export function factsOf(library: ImageLibrary, bytes: Uint8Array): Promise<SourceFacts> {
  const read = known.get(bytes) ?? readFacts(library, bytes)
  known.set(bytes, read)
  return read
}

const known = new WeakMap<Uint8Array, Promise<SourceFacts>>()

async function readFacts(library: ImageLibrary, bytes: Uint8Array): Promise<SourceFacts> {
  const format = formatOfContent(bytes)
  if (format === undefined) throw notAPicture()
  // The number of pixels is checked by the limits, which have a message of their own.
  const metadata = await library(bytes, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(error)
    })
  if (!isWhatItSeems(metadata, format)) throw unreadable()
  const { width, pageHeight, height, orientation, pages = 1, hasAlpha } = metadata
  const moves = pages > 1 && (format === 'gif' || format === 'webp')
  // Animated pictures are never turned.
  const turn = turnOf(moves ? 1 : orientation)
  const [across, down] = [width, pageHeight ?? height]
  return {
    format,
    width: turn.isSideways ? down : across,
    height: turn.isSideways ? across : down,
    turn,
    frames: moves ? pages : 1,
    hasAlpha: hasAlpha === true,
    held: Math.ceil(across * down * formatRow(format).held(metadata)),
    motion: moves ? { loop: metadata.loop ?? 0, delay: metadata.delay ?? [] } : undefined,
  }
}

const loaders: Readonly<Record<Format, string>> = {
  jpg: 'jpeg',
  png: 'png',
  webp: 'webp',
  tiff: 'tiff',
  avif: 'heif',
  gif: 'gif',
}

/** False for a file that looks like two formats at once, and that the library takes for the other. */
const isWhatItSeems = ({ format, compression }: Metadata, seeming: Format) =>
  format === loaders[seeming] && (seeming !== 'avif' || compression === 'av1')

export const notAPicture = () =>
  fault('ILLEGAL_ASSET_TRANSFORMATION', 'This file is no picture of a kind that can be transformed.', {
    hint: 'jpg, png, webp, avif, tiff and gif can, recognized by their content.',
  })

export const unreadable = (cause?: unknown) =>
  fault('UNPROCESSABLE_CONTENT', 'This file is damaged, or is not what it seems to be.', { cause })
