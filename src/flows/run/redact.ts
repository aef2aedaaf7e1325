// Keeps the texts of secrets out of what comes from outside: servers answer with headers that they were sent.
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../values/guards.ts'
import { readJson } from '../chain/chain.ts'
import { shortestSecret } from '../flow-options.ts'

const redacted = '--redacted--'

/** Forms in which a text comes back: as it is, in an address, in JSON, in a text of JSON in another one, in HTML, and in the bytes of base64 and
 *  hexadecimal numbers. */
function formsOf(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const asciiJson = json.replace(
    /[^\0-\x7f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const bytes = Buffer.from(text)
  const base64 = [0, 1, 2].map((offset) => base64Inside(bytes, offset))
  return [
    text,
    encodeURIComponent(text.toWellFormed()),
    new URLSearchParams([[text, '']]).toString().slice(0, -1),
    json,
    json.replaceAll('/', '\\/'),
    asciiJson,
    JSON.stringify(json).slice(1, -1),
    text.replace(/[&<>"']/g, (one) => htmlNames[one] ?? one),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    // Headers are read and sent byte by byte, and others take those bytes for UTF-8.
    bytes.toString('latin1'),
    ...(/^[\0-\xff]*$/.test(text) ? [Buffer.from(text, 'latin1').toString()] : []),
  ]
}

const htmlNames: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Returns the characters of base64 that bytes have behind some others, without those that depend on what stands around them. */
function base64Inside(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

/** Characters that a text inside of a secret has at least: shorter ones are words, which stand in other answers, too. */
const shortestInside = 16
/** Digits that a number has at least. */
const shortestNumber = 8
/** Encodings in one another that are read. */
const mostEncodings = 4

/** Everything by which secrets are known. */
interface Known {
  readonly texts: Set<string>
  readonly numbers: Set<number>
  /** Documents as a whole, whatever the blanks between their parts. */
  readonly documents: unknown[]
}

/** Adds the text of a secret, and what it is once it is decoded: a document, a text that was encoded for an address, or one of base64. */
function addText(text: string, known: Known, depth = 0): void {
  known.texts.add(text)
  // A key that is read line by line has no line break at its end.
  if (text.trim().length >= shortestSecret) known.texts.add(text.trim())
  addNumber(text.trim(), known)
  if (depth === mostEncodings) return
  const value = readJson(text)
  if (typeof value === 'object' && value !== null) known.documents.push(value)
  if (typeof value !== 'number' && value !== text) addInside(value, known, depth + 1)
  for (const decoded of [fromPercent(text), fromBase64(text)])
    if (decoded !== undefined && decoded.length >= shortestInside) addText(decoded, known, depth + 1)
}

function addInside(value: unknown, known: Known, depth: number): void {
  if (typeof value === 'string') {
    addNumber(value, known)
    if (value.length >= shortestInside && !isOpenAddress(value)) addText(value, known, depth)
  } else if (typeof value === 'number') {
    if (digitsIn(String(value)) >= shortestNumber) known.texts.add(String(value))
    addNumber(String(value), known)
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) addInside(one, known, depth)
  }
}

function addNumber(text: string, { numbers }: Known): void {
  if (digitsIn(text) >= shortestNumber && /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(text)) numbers.add(Number(text))
}

const digitsIn = (text: string): number => text.replace(/\D/g, '').length

/** True for an address without a password in it, which may be shown. */
const isOpenAddress = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(text) && URL.canParse(text) && new URL(text).password === ''

function fromPercent(text: string): string | undefined {
  if (!/%[\da-f]{2}/i.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function fromBase64(text: string): string | undefined {
  if (!/^[\w+/-]+={0,2}$/.test(text)) return undefined
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'))
    // Most texts are base64 of some bytes, and few of a text.
    return /^[^\p{Cc}]*$/u.test(decoded.replace(/[\t\r\n]/g, '')) ? decoded : undefined
  } catch {
    return undefined
  }
}

/** Returns a function that replaces secrets in values: their texts, whatever the case of their letters, and numbers and documents that equal
 *  one. A value without secrets is returned as it is. */
export function redactor(secrets: Readonly<Record<string, string>>): (value: unknown) => unknown {
  const known: Known = { texts: new Set(), numbers: new Set(), documents: [] }
  for (const secret of Object.values(secrets)) addText(secret, known)
  // The longest first: one may stand in another.
  const forms = [...new Set([...known.texts].flatMap(formsOf))]
    .sort((one, other) => other.length - one.length)
    .map((form) => ({
      lowered: form.toLowerCase(),
      pattern: new RegExp(form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi'),
    }))
  if (forms.length === 0) return (value) => value
  const inText = (text: string): string => {
    const lowered = text.toLowerCase()
    // Most texts hold none, and that is found soonest without patterns.
    const found = forms.filter((form) => lowered.includes(form.lowered))
    return found.reduce((all, { pattern }) => all.replace(pattern, redacted), text)
  }
  /** Looks at the values of a text that is a document, too: a secret that is a document may have another text. */
  const inDocument = (text: string): string => {
    if (known.documents.length + known.numbers.size === 0 || !/^\s*[[{]/.test(text)) return text
    const value = readJson(text)
    const shown = value === text ? text : inValue(value)
    return shown === value ? text : JSON.stringify(shown)
  }
  const inValue = (value: unknown): unknown => {
    if (typeof value === 'string') return inDocument(inText(value))
    if (typeof value === 'number') return known.numbers.has(value) ? redacted : value
    if (typeof value !== 'object' || value === null) return value
    if (known.documents.some((one) => isDeepStrictEqual(one, value))) return redacted
    if (Array.isArray(value)) {
      const list = value.map(inValue)
      return list.some((one, at) => one !== value[at]) ? list : value
    }
    if (!isRecord(value)) return value
    const entries = Object.entries(value).map(([name, one]) => [inText(name), inValue(one)] as const)
    const isSame = entries.every(([name, one]) => Object.hasOwn(value, name) && value[name] === one)
    return isSame ? value : Object.fromEntries(entries)
  }
  return inValue
}
