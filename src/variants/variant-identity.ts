// The identity of a variant: it distinguishes one from all others.

import type { Format } from '../images/image-formats.ts'
import { formatRow } from '../images/image-formats.ts'
import { crops, type ImageRequest } from '../images/image-request.ts'
import type { Point } from '../images/image-size.ts'
import { formatFor } from '../images/transform.ts'
import { createHash } from '../values/from-node.ts'
import type { SourceRow } from './source-file.ts'

/** The version of the rendering. It is raised whenever the same request makes other pixels than before: all
 *  variants are made anew then. */
const edition = 1

/** The focal point in effect: that of the request, or else that of the file. */
export function focusOf({ focus }: ImageRequest, file: SourceRow): Partial<Point> {
  const x = focus.x ?? file.focal_point_x ?? undefined
  const y = focus.y ?? file.focal_point_y ?? undefined
  return { ...(x !== undefined && { x }), ...(y !== undefined && { y }) }
}

/** The digest of everything that the bytes of a variant depend on: not the spelling of formats and operations,
 *  but their meaning. */
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
    request.steps.map(({ name, arguments: payload }) => [name, payload]),
    // Without a known format of the source, only the candidates of `auto` are known.
    format ?? request.format ?? null,
    request.quality ?? (format === null ? null : (formatRow(format).quality ?? lossless)),
    [focus.x ?? null, focus.y ?? null],
  ]
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 40)
}

/** The quality of lossless formats, unless a lower one is requested. */
const lossless = 100
