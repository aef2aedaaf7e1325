import type { Format } from './image-formats.ts'

/** The candidates of `format=auto`, the best first. */
const chosenFrom = [
  ['avif', 'image/avif'],
  ['webp', 'image/webp'],
] as const satisfies readonly (readonly [Format, string])[]

/** The formats of `format=auto` that an `Accept` header names. A wildcard does not count: it is sent by clients
 *  that do not know the format. */
export function acceptedFormats(accept: string | undefined): readonly Format[] {
  const ranges = (accept ?? '').toLowerCase().slice(0, longestHeader).split(',').map(readRange)
  return chosenFrom
    .filter(([, type]) => ranges.some((range) => range.type === type && range.isWanted))
    .map(([format]) => format)
}

const longestHeader = 4_096

function readRange(text: string): { readonly type: string; readonly isWanted: boolean } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  return { type, isWanted: !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter)) }
}

/** The format that `format=auto` chooses. A gif may be animated, and stays a gif where webp is not accepted. */
export function chosenFormat(accepted: readonly Format[], source: Format | undefined): Format {
  const mayMove = source === 'gif' || source === 'webp'
  const best = accepted.find((format) => !mayMove || format === 'webp')
  return best ?? (source === 'gif' ? 'gif' : 'jpg')
}
