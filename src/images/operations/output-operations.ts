// Operations that choose the output format. They may be anywhere in the list; the last one counts.
import type { Format } from '../image-formats.ts'
import { kind, optional, whole } from '../parameter-kinds.ts'
import { type Operation, operationOf } from './operation.ts'

const spellings = {
  jpg: 'jpg',
  jpeg: 'jpg',
  png: 'png',
  webp: 'webp',
  avif: 'avif',
  tiff: 'tiff',
  tif: 'tiff',
  gif: 'gif',
} as const satisfies Record<string, Format>

const isSpelling = (value: unknown): value is keyof typeof spellings =>
  typeof value === 'string' && Object.hasOwn(spellings, value)

export const formatSpellings: readonly string[] = Object.keys(spellings)

export const format = kind(
  'one of jpg, png, webp, avif, tiff, gif',
  { type: 'string', enum: formatSpellings },
  (value) => (isSpelling(value) ? spellings[value] : undefined),
)

export const quality = whole({ min: 1, max: 100 })

const toFormat = operationOf(
  {
    doc: 'Writes the picture in this format, unless the parameters `format` and `quality` say otherwise.',
    takes: { format, quality: optional(quality, undefined) },
  },
  (input) => ({ kind: 'output', ...input }),
)

const written = (name: Format): Operation =>
  operationOf(
    {
      doc: `Writes the picture as ${name}, as \`toFormat\` does.`,
      takes: { quality: optional(quality, undefined) },
    },
    (input) => ({ kind: 'output', format: name, ...input }),
  )

export const outputOperations = {
  toFormat,
  jpeg: written('jpg'),
  png: written('png'),
  webp: written('webp'),
  avif: written('avif'),
  tiff: written('tiff'),
} as const satisfies Record<string, Operation>
