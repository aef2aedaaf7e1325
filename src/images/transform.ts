// Makes one picture from another: step by step, each checked before it runs.
import { fault } from '../errors/errors.ts'
import { checkStep } from './check-step.ts'
import { type Format, formatRow } from './image-formats.ts'
import type { AssetLimits } from './image-limits.ts'
import type { ImageRequest } from './image-request.ts'
import { checkSize, type Picture, type Point, tooLarge } from './image-size.ts'
import type { ImageLibrary } from './load-sharp.ts'
import { chosenFormat } from './negotiate-format.ts'
import type { ImageStep } from './operations/operation.ts'
import { perform } from './run-steps.ts'
import { takesFiles } from './sharp-pass.ts'
import { factsOf, type SourceFacts } from './source-facts.ts'

/** The request and bounds of a new picture. */
interface Making {
  readonly request: Pick<ImageRequest, 'steps' | 'format' | 'quality'>
  /** The focal point when it is cropped, in pixels of the source. */
  readonly focus: Partial<Point>
  readonly limits: AssetLimits
  readonly signal: AbortSignal
  /** The deadline by `performance.now()`. */
  readonly deadline: number
}

export interface Made {
  readonly data: Buffer
  readonly format: Format
  readonly width: number
  readonly height: number
}

export function formatFor(requested: ImageRequest['format'], source: Format | undefined): Format | undefined {
  return typeof requested === 'object' ? chosenFormat(requested, source) : (requested ?? source)
}

export async function makePicture(library: ImageLibrary, bytes: Uint8Array, making: Making): Promise<Made> {
  const { request, limits } = making
  const facts = await factsOf(library, bytes)
  const format = formatFor(request.format, facts.format) ?? facts.format
  const start = pictureOf(facts, formatRow(format).moves, making.focus)
  checkSource(start, facts.held, limits)
  checkAhead(start, request.steps, format, limits)
  const made = await perform(library, bytes, { ...making, facts, start, format })
  return { ...made, format }
}

function pictureOf(
  { width, height, frames, hasAlpha }: SourceFacts,
  moves: boolean,
  { x, y }: Partial<Point>,
): Picture {
  const focus = x === undefined && y === undefined ? undefined : { x: x ?? width / 2, y: y ?? height / 2 }
  return { width, height, frames: moves ? frames : 1, hasAlpha, focus }
}

function checkSource({ width, height, frames }: Picture, held: number, limits: AssetLimits): void {
  if (frames > limits.frames)
    throw fault(
      'ILLEGAL_ASSET_TRANSFORMATION',
      `This file has ${frames} frames; ${limits.frames} is the most.`,
      {
        hint: 'Ask for a format that stands still, such as jpg or png.',
      },
    )
  if (width * height * frames > limits.inputPixels)
    throw fault(
      'ILLEGAL_ASSET_TRANSFORMATION',
      `This file has ${width} by ${height} pixels${frames > 1 ? ` in ${frames} frames` : ''}; ${limits.inputPixels} is the most.`,
    )
  if (held > limits.inputMemory)
    throw fault(
      'ILLEGAL_ASSET_TRANSFORMATION',
      `Reading this file of ${width} by ${height} pixels takes about ${held} bytes of memory; ${limits.inputMemory} is the most.`,
      { hint: 'Files that are read line by line take less: jpg and png that are not progressive, and tiff.' },
    )
}

/** Checks everything before any work starts, where sizes can be predicted. */
function checkAhead(start: Picture, steps: readonly ImageStep[], format: Format, limits: AssetLimits): void {
  const isUnpacked = steps[0] !== undefined && !takesFiles(steps[0])
  if (isUnpacked) checkSize(start, limits, ['transforms'])
  let picture = start
  for (const step of steps) picture = checkStep(picture, step, limits)
  checkSize(picture, limits, ['width'])
  const { longestSide } = formatRow(format)
  if (Math.max(picture.width, picture.height) > longestSide)
    throw tooLarge(`A file of ${format} holds no side of more than ${longestSide} pixels.`, ['format'])
}
