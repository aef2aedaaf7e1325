// The page of reference about pictures, made from the tables that the engine itself works by.

import { formatNames, formatRow } from '../../src/images/image-formats.ts'
import { defaultAssetLimits } from '../../src/images/image-limits.ts'
import { parameterKinds } from '../../src/images/image-parameters.ts'
import { sameOperations } from '../../src/images/operations/operation-names.ts'
import { operations } from '../../src/images/operations/operations.ts'
import { code, type Row, section, table } from './tables.ts'

/** The text of `docs/images.md`. */
export function imagesPage(): string {
  return [
    opening,
    section('Image parameters', parametersText, ['parameter', 'takes', 'means'], parameterRows()),
    section('Image formats', formatsText, ['format', 'media type', 'quality', 'moves', 'is'], formatRows()),
    `## Image operations\n\n${operationsText}\n`,
    ...Object.keys(operations).map(operationText),
    section('Image limits', limitsText, ['limit', 'default', 'bounds'], limitRows()),
  ].join('\n')
}

const opening = `# Image reference: parameters, formats, operations

<!-- Printed by \`npm run docs\` from the tables in src/. Change those, not this page. -->

Every parameter, format, operation and limit of [images](assets.md), printed from the tables that the engine works by. Use it to look one
up; [images](assets.md) has explanations and examples.

\`\`\`ts
import type { AssetParameters } from 'quernel'

const parameters: AssetParameters = {
  width: 300,
  transforms: [
    ['blur', 5],
    ['rotate', 45, { background: 'white' }],
  ],
}
parameters.transforms?.length // → 2
\`\`\`
`

const parametersText = `They work in a URL and in code. Numbers and flags may be text. A parameter that does not exist is an error; \`download\` is for the HTTP
handler only.`

const formatsText = '`jpeg` means `jpg` and `tif` means `tiff`. The column "quality" has the default.'

const operationsText = `An operation is a list of its name and its arguments: in the order below, by name in an object, or the first ones in order and the
others by name. ${sameNames()}`

function sameNames(): string {
  const names = Object.entries(sameOperations).map(([other, name]) => `${code(other)} is ${code(name)}`)
  return `${names.join(', ')}.`
}

const limitsText =
  'Set them with `createEngine({ assets: { limits } })`. Exceeding one of the first group is `ILLEGAL_ASSET_TRANSFORMATION`.'

const limitDocs: Readonly<Record<keyof typeof defaultAssetLimits, string>> = {
  outputSide: 'the pixels of the longest side that any step makes',
  outputPixels: 'the pixels that any step makes, of all frames together',
  inputPixels: 'the pixels of a source, of all frames together',
  inputMemory:
    'the bytes of memory for decoding a source that cannot be decoded line by line: gif, webp, avif, and progressive jpg and png',
  inputBytes: 'the bytes of a source',
  frames: 'the frames of an animated image',
  operations: 'the operations in `transforms`',
  timeoutMs:
    'the milliseconds of work, then `OUT_OF_TIME`; and of waiting in the queue, then `SERVICE_UNAVAILABLE`',
  concurrency: 'the images that are made at once',
  queue: 'the images that wait in the queue; more of them are `SERVICE_UNAVAILABLE` at once',
  variantsPerFile: 'the variants kept of one file',
  variantBytes: 'the bytes kept of all variants together',
}

const parameterRows = (): Row[] =>
  Object.entries(parameterKinds).map(([name, { takes, doc }]) => [code(name), takes.says, doc])

const formatRows = (): Row[] =>
  formatNames.map((name) => {
    const { type, quality, moves, doc } = formatRow(name)
    return [
      code(name),
      code(type),
      quality === undefined ? 'lossless' : String(quality),
      moves ? 'yes' : 'no',
      doc,
    ]
  })

function operationText(name: string): string {
  const { doc, takes } = operations[name as keyof typeof operations] // the names are those of the table
  const rows = Object.entries(takes).map(([argument, { says }]) => [code(argument), says])
  return `### ${name}\n\n${doc}\n${rows.length === 0 ? '' : `\n${table(['argument', 'takes'], rows)}`}`
}

const limitRows = (): Row[] =>
  Object.entries(defaultAssetLimits).map(([name, limit]) => [
    code(name),
    limit === undefined ? 'the cores of the machine + 1' : limit.toLocaleString('en'),
    // The keys of the limits are those of their descriptions.
    limitDocs[name as keyof typeof defaultAssetLimits],
  ])
