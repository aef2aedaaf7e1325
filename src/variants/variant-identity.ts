// What tells one variant from all others.
import { createHash } from 'node:crypto'
import type { Format } from '../images/image-formats.ts'
import { formatRow } from '../images/image-formats.ts'
import { crops, type ImageRequest } from '../images/image-request.ts'
import type { Point } from '../images/image-size.ts'
import { formatFor } from '../images/transform.ts'
import type { SourceRow } from './source-file.ts'

/** Raised whenever the same request makes other pixels than before: all variants are made anew then. */
const edition = 1

/** The focal point that counts: what was asked for, or else what the file says. */
export function focusOf({ focus }: ImageRequest, file: SourceRow): Partial<Point> {
  const x = focus.x ?? file.focal_point_x ?? undefined
  const y = focus.y ?? file.focal_point_y ?? undefined
  return { ...(x !== undefined && { x }), ...(y !== undefined && { y }) }
}

/** The digest of everything that the bytes of a variant depend on. Names of formats and words are not part of it, but what they mean. */
export function identityOf(
  request: ImageRequest,
  file: SourceRow,
  version: string,
  source: Format | undefined,
): string {
  const format = formatFor(request.format, source) ?? null
  const focus = crops(request) ? focusOf(request, file) : {}
  const known = [
    edition,
    file.filename_disk,
    version,
    request.steps.map(({ name, arguments: given }) => [name, given]),
    // Without a format of the source, what `auto` chooses from is all that is known.
    format ?? request.format ?? null,
    request.quality ?? (format === null ? null : (formatRow(format).quality ?? lossless)),
    [focus.x ?? null, focus.y ?? null],
  ]
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 40)
}

/** The quality of formats that lose nothing, unless a lesser one is asked for. */
const lossless = 100
