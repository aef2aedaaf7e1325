// Keeps the texts of secrets out of what comes from outside: servers answer with headers that they were sent.
import { isRecord } from '../../values/guards.ts'

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

/** Returns a function that replaces the texts of secrets in values, whatever the case of their letters. What holds none is returned as it is. */
export function redactor(secrets: Readonly<Record<string, string>>): (value: unknown) => unknown {
  // The longest first: one may stand in another.
  const forms = [...new Set(Object.values(secrets).flatMap(formsOf))]
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
  const inValue = (value: unknown): unknown => {
    if (typeof value === 'string') return inText(value)
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
