// The requested look of a picture, normalized: requests that mean the same are equal.
import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import type { Allowance } from './asset-settings.ts'
import type { Format } from './image-formats.ts'
import { type ParametersInput, readParameters } from './image-parameters.ts'
import type { Point } from './image-size.ts'
import { acceptedFormats } from './negotiate-format.ts'
import type { ImageStep } from './operations/operation.ts'
import { resizeTo } from './operations/shape-operations.ts'
import type { WantedSize } from './size-and-crop.ts'

export interface ImageRequest {
  readonly steps: readonly ImageStep[]
  /** The format, or the candidates of `auto`; undefined for the format of the source. */
  readonly format: Format | readonly Format[] | undefined
  readonly quality: number | undefined
  /** The focal point of the request, which overrides that of the file. */
  readonly focus: Partial<Point>
}

/** Reads an image request; undefined if it is for the file as it is stored.
 *  @example readAssetRequest({ width: '300', format: 'auto' }, allowance, 'image/webp') */
export function readAssetRequest(
  parameters: unknown,
  allowance: Allowance,
  accept: string | undefined,
): ImageRequest | undefined {
  const own = readParameters(parameters)
  const names = Object.keys(own)
  if (names.length === 0) return undefined
  checkAllowed(names, allowance)
  return requestOf(withPreset(own, allowance), allowance, accept)
}

function checkAllowed(names: readonly string[], { allowed }: Allowance): void {
  if (allowed === 'none')
    throw fault('ILLEGAL_ASSET_TRANSFORMATION', 'Files are only available as they are stored.', {
      path: names.slice(0, 1),
    })
  const other = names.find((name) => name !== 'key')
  if (allowed === 'presets' && other !== undefined)
    throw fault('ILLEGAL_ASSET_TRANSFORMATION', 'Only a preset may be requested, with nothing but "key".', {
      path: [other],
    })
}

function withPreset({ key, ...own }: ParametersInput, { presets }: Allowance): ParametersInput {
  if (key === undefined) return own
  const preset = presets.get(key)
  if (preset) return { ...preset, ...own }
  throw fault('INVALID_QUERY', `There is no preset ${quote(key)}.`, {
    path: ['key'],
    hint: suggestion(key, presets.keys()),
  })
}

function requestOf(
  input: ParametersInput,
  { limits }: Allowance,
  accept: string | undefined,
): ImageRequest | undefined {
  const { transforms = [], focal_point_x: x, focal_point_y: y } = input
  if (transforms.length > limits.operations)
    throw fault(
      'ILLEGAL_ASSET_TRANSFORMATION',
      `"transforms" takes at most ${limits.operations} operations, not ${transforms.length}.`,
      { path: ['transforms'] },
    )
  const steps = withResize(
    transforms.filter(({ work }) => work.kind !== 'output'),
    wantedOf(input),
  )
  const output = transforms.map(({ work }) => work).findLast((work) => work.kind === 'output')
  const format = input.format === 'auto' ? acceptedFormats(accept) : (input.format ?? output?.format)
  // A quality meant for one format does not apply to another.
  const quality = input.quality ?? (input.format === undefined ? output?.quality : undefined)
  if (steps.length === 0 && format === undefined && quality === undefined) return undefined
  const focus = { ...(x !== undefined && { x }), ...(y !== undefined && { y }) }
  return { steps, format, quality, focus }
}

function wantedOf({
  width,
  height,
  fit = 'cover',
  withoutEnlargement = false,
}: ParametersInput): WantedSize | undefined {
  if (width === undefined && height === undefined) return undefined
  const hasBoth = width !== undefined && height !== undefined
  return { width, height, fit: hasBoth ? fit : 'cover', withoutEnlargement }
}

/** Inserts the resize after the last step that changes the size: the picture is as large as requested, and
 *  later steps work on few pixels. */
function withResize(steps: readonly ImageStep[], wanted: WantedSize | undefined): readonly ImageStep[] {
  if (!wanted) return steps
  const before = steps.findLastIndex(({ changesSize }) => changesSize) + 1
  return [...steps.slice(0, before), resizeTo(wanted), ...steps.slice(before)]
}

/** True if the request crops, so that the focal point matters. */
export const crops = ({ steps }: ImageRequest): boolean =>
  steps.some(({ name, arguments: input }) => {
    const { width, height, fit } = input
    return name === 'resize' && fit === 'cover' && width !== undefined && height !== undefined
  })
