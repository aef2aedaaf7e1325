// Templates: texts with places of the data chain between double braces.
import { type ChainPlace, readPlace } from './place.ts'

/** A place in a template, and the value that stands there if it is missing or null. */
export interface PlaceInText {
  readonly place: ChainPlace
  readonly fallback: { readonly value: string | number | boolean | null } | undefined
}

/** A text with places. One that is a place as a whole has its value, of any type. */
export type TextTemplate =
  | { readonly kind: 'whole'; readonly slot: PlaceInText }
  | { readonly kind: 'text'; readonly parts: readonly (string | PlaceInText)[] }

/** Reads a template; undefined for a text without places. Returns a text that says what is wrong if it cannot be read. */
export function readTemplate(text: string): TextTemplate | string | undefined {
  if (!text.includes('{{')) return undefined
  const parts: (string | PlaceInText)[] = []
  let rest = text
  let places = 0
  for (let open = rest.indexOf('{{'); open >= 0; open = rest.indexOf('{{')) {
    if (++places > mostPlaces) return `it has more than ${mostPlaces.toLocaleString('en')} places`
    if (open > 0) parts.push(rest.slice(0, open))
    const close = endOf(rest, open + 2)
    if (close < 0) return 'the braces of a place are not closed; a place is {{ name.field }}'
    const slot = readSlot(rest.slice(open + 2, close).trim())
    if (typeof slot === 'string') return slot
    parts.push(slot)
    rest = rest.slice(close + 2)
  }
  if (rest !== '') parts.push(rest)
  const [first] = parts
  return parts.length === 1 && typeof first === 'object'
    ? { kind: 'whole', slot: first }
    : { kind: 'text', parts }
}

const mostPlaces = 1_000

/** Returns where the braces of a place are closed; -1 if others are opened first. */
function endOf(text: string, from: number): number {
  const at = findOutside(text, from, ['{{', '}}'])
  return text[at] === '}' ? at : -1
}

/** Returns where one of some texts comes first, but not between quotes; -1 if none does. */
function findOutside(text: string, from: number, sought: readonly string[]): number {
  let quote: string | undefined
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (quote !== undefined) {
      if (char === quote) quote = undefined
    } else if (char === '"' || char === "'") quote = char
    else if (sought.some((one) => text.startsWith(one, at))) return at
  }
  return -1
}

function readSlot(text: string): PlaceInText | string {
  const mark = findOutside(text, 0, ['??'])
  const place = readPlace(mark < 0 ? text : text.slice(0, mark).trim())
  if (typeof place === 'string') return `${JSON.stringify(text)} is no place: ${place}`
  if (mark < 0) return { place, fallback: undefined }
  const fallback = text.slice(mark + 2).trim()
  const value = readLiteral(fallback)
  if (value === undefined)
    return `${JSON.stringify(fallback)} is no value to fall back to: it is a text in quotes, a number, true, false or null`
  return { place, fallback: { value } }
}

function readLiteral(text: string): string | number | boolean | null | undefined {
  if (/^'[^']*'$/.test(text) || /^"[^"]*"$/.test(text)) return text.slice(1, -1)
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return Object.hasOwn(words, text) ? words[text] : undefined
}

const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }
