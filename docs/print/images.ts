// The reference of images, made from the tables that the engine itself works by.

import { formatNames, formatRow } from '../../src/images/image-formats.ts'
import { defaultAssetLimits } from '../../src/images/image-limits.ts'
import { parameterKinds } from '../../src/images/image-parameters.ts'
import { sameOperations } from '../../src/images/operations/operation-names.ts'
import { operations } from '../../src/images/operations/operations.ts'
import { code, type Row, table } from './tables.ts'

/** The parts of the page about images that the tables say. */
export const imageParts = (): Readonly<Record<string, string>> => ({
  parameters: table(['parameter', 'takes', 'means'], parameterRows()),
  formats: table(['format', 'media type', 'quality', 'moves', 'is'], formatRows()),
  operations: `${sameNames()}\n\n${Object.keys(operations).map(operationText).join('')}`,
  limits: table(['limit', 'default', 'bounds'], limitRows()),
})

function sameNames(): string {
  const names = Object.entries(sameOperations).map(([other, name]) => `${code(other)} is ${code(name)}`)
  return `${names.join(', ')}.`
}

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

/** Words of arguments, and their short forms, which the page explains once. */
const shortForms: readonly (readonly [long: RegExp, short: string])[] = [
  [/^a colour such as .*, or a name of CSS/, 'a colour'],
  [/a whole number from /g, ''],
  [/a number from /g, 'any '],
  [/\b(?<!-)(\d[\d.]*) to (?=\d)/g, '$1–'],
  [/^true or false/, 'a flag'],
  [/^one of /, ''],
]

function argumentText(name: string, says: string): string {
  const [, takes = says, left] = /^(.*) \((optional|.* if left out)\)$/.exec(says) ?? []
  const short = shortForms.reduce((text, [long, form]) => text.replace(long, form), takes)
  if (left === undefined) return `${code(name)}: ${short}`
  return left === 'optional'
    ? `${code(`${name}?`)}: ${short}`
    : `${code(`${name} = ${left.replace(' if left out', '')}`)}: ${short}`
}

function operationText(name: string): string {
  const { doc, takes } = operations[name as keyof typeof operations] // the names are those of the table
  const said = Object.entries(takes).map(([argument, { says }]) => argumentText(argument, says))
  return `- ${code(name)}: ${doc}${said.length === 0 ? '' : ` ${said.join('; ')}.`}\n`
}

const limitRows = (): Row[] =>
  Object.entries(defaultAssetLimits).map(([name, limit]) => [
    code(name),
    limit === undefined ? 'the cores of the machine + 1' : limit.toLocaleString('en'),
    // The keys of the limits are those of their descriptions.
    limitDocs[name as keyof typeof defaultAssetLimits],
  ])
