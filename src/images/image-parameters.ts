// Parameters of a picture's look, as they are given in an address, in code or in a preset.
import { fault, isEngineError, type Path, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { suggestion } from '../errors/suggest.ts'
import { isRecord } from '../values/guards.ts'
import type { ImageStep } from './operations/operation.ts'
import type { OperationName } from './operations/operation-names.ts'
import { entrySchemas, readStep } from './operations/operations.ts'
import { format, formatSpellings, quality } from './operations/output-operations.ts'
import { flag, kind, number, type ParameterValue, whole, word } from './parameter-kinds.ts'
import { fits as everyFit } from './size-and-crop.ts'

/** One entry of `transforms`: the name of an operation, and its arguments. */
export type Transform = readonly [operation: OperationName, ...arguments: unknown[]]

/** Parameters of a picture's look. */
export interface AssetParameters {
  /** The key of a preset. Other parameters override it. */
  readonly key?: string | undefined
  /** Width of the box in pixels. */
  readonly width?: number | undefined
  /** Height of the box in pixels. */
  readonly height?: number | undefined
  /** The way the image fills the box: cropped (`cover`, the default), with bars (`contain`), within it (`inside`) or around it
   *  (`outside`). */
  readonly fit?: 'cover' | 'contain' | 'inside' | 'outside' | undefined
  /** True if a smaller image keeps its size. */
  readonly withoutEnlargement?: boolean | undefined
  /** Format of the image; `auto` is the best one that the caller accepts. By default its own. */
  readonly format?: 'auto' | 'jpg' | 'png' | 'webp' | 'avif' | 'tiff' | 'gif' | undefined
  /** Quality of the format, from 1 to 100. */
  readonly quality?: number | undefined
  /** Further operations of sharp, in their order, each a list of its name and arguments. */
  readonly transforms?: readonly Transform[] | undefined
  /** Horizontal place in pixels that `cover` keeps in the image. */
  readonly focal_point_x?: number | undefined
  /** Vertical place in pixels that `cover` keeps in the image. */
  readonly focal_point_y?: number | undefined
}

// `fill` distorts, so it is left to those who write `transforms`.
const fits = everyFit.filter((fit): fit is Exclude<typeof fit, 'fill'> => fit !== 'fill')
const side = whole({ min: 1, max: 100_000 })
const position = number({ min: -1_000_000, max: 1_000_000 })

const formatOrAuto = {
  says: `auto, or ${format.says}`,
  schema: { type: 'string', enum: ['auto', ...formatSpellings] },
  read: (value: unknown, path: Path) => (value === 'auto' ? value : format.read(value, path)),
} as const

const longestKey = 255

// Far more than all operations with all their arguments need.
const maxTransforms = 1_000

const transformsSchema = { type: 'array', maxItems: maxTransforms, items: { anyOf: entrySchemas() } }

/** Each parameter with the values it takes, and a line for the reference. */
export const parameterKinds = {
  key: {
    takes: kind('the key of a preset', { type: 'string', minLength: 1, maxLength: longestKey }, keyOf),
    doc: 'A [preset](assets.md#presets-such-as-thumbnails). Other parameters override it.',
  },
  width: { takes: side, doc: 'The width of the image. Alone, it keeps the aspect ratio.' },
  height: { takes: side, doc: 'The height of the image. Alone, it keeps the aspect ratio.' },
  fit: {
    takes: word(fits),
    doc: 'How the image fits into `width` and `height`: see [size](assets.md#resize-and-crop-width-height-fit).',
  },
  withoutEnlargement: { takes: flag, doc: 'Never enlarges the image.' },
  format: { takes: formatOrAuto, doc: "The [format](#image-formats); the source's own if left out." },
  quality: { takes: quality, doc: 'Higher values make better and larger files.' },
  transforms: {
    takes: {
      says: 'a list of operations, as JSON in an address',
      schema: transformsSchema,
      read: readTransforms,
    },
    doc: 'Further operations: see [operations](#image-operations).',
  },
  focal_point_x: {
    takes: position,
    doc: 'The focal point of a crop, in pixels of the source from the left.',
  },
  focal_point_y: { takes: position, doc: 'The focal point of a crop, in pixels of the source from the top.' },
} as const

type Kinds = typeof parameterKinds
type ImageParameterName = keyof Kinds

export type ParametersInput = { readonly [Name in ImageParameterName]?: ParameterValue<Kinds[Name]['takes']> }

/** Reads parameters. All problems are reported at once. */
export function readParameters(
  parameters: unknown,
  without: readonly ImageParameterName[] = [],
): ParametersInput {
  if (!isRecord(parameters))
    throw fault('INVALID_QUERY', `Parameters are an object, not ${quote(parameters)}.`)
  const names = (Object.keys(parameterKinds) as ImageParameterName[]).filter(
    (name) => !without.includes(name),
  )
  const problems = new Problems('INVALID_QUERY')
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (problems.isFull) break
    if (value === undefined || value === null || name === 'download') continue
    try {
      input[name] = parameterKinds[known(name, names)].takes.read(value, [name])
    } catch (error) {
      if (!isEngineError(error)) throw error
      for (const problem of error.errors ?? [error]) problems.report(problem)
    }
  }
  problems.throwIfAny()
  // Each was read by the kind of its name.
  return input as ParametersInput
}

function known(name: string, names: readonly ImageParameterName[]): ImageParameterName {
  const found = names.find((one) => one === name)
  if (found !== undefined) return found
  throw fault('INVALID_QUERY', `There is no parameter ${quote(name)} of assets.`, {
    path: [name],
    hint: suggestion(name, names) ?? `There are ${names.join(', ')}.`,
  })
}

function keyOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longestKey ? value : undefined
}

// As far beyond need as `maxTransforms`.
const longestTransforms = 16_384

function readTransforms(value: unknown, path: Path): readonly ImageStep[] {
  const entries = typeof value === 'string' ? parsed(value, path) : value
  if (!Array.isArray(entries) || entries.length > maxTransforms)
    throw fault('INVALID_QUERY', `"transforms" takes a list of operations, not ${quote(entries)}.`, {
      path,
      hint: 'Such as [["blur",5],["tint","rgb(255, 0, 0)"]].',
    })
  return entries.map((entry: unknown, index) => readStep(entry, [...path, index]))
}

function parsed(text: string, path: Path): unknown {
  if (text.length > longestTransforms)
    throw fault('INVALID_QUERY', `"transforms" takes at most ${longestTransforms} characters.`, { path })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw fault('INVALID_QUERY', `"transforms" takes JSON, which ${quote(text)} is not.`, {
      path,
      cause: error,
      hint: 'Such as [["blur",5],["tint","rgb(255, 0, 0)"]].',
    })
  }
}
