// XML 1.0 with the type of every value, so that nothing is lost. Written by hand because only the escaping needs care, and a library would
// not save a hundred lines.
import { isRecord } from '../values/guards.ts'
import type { FileWriter } from './writer.ts'

export const xmlWriter = (): FileWriter => ({
  begin: '<?xml version="1.0" encoding="UTF-8"?>\n<items>\n',
  item: (item) => `${element(itemTag, item)}\n`,
  end: () => '</items>\n',
})

interface XmlTag {
  readonly name: string
  readonly attributes: string
}

const itemTag: XmlTag = { name: 'item', attributes: '' }

/** Writes an element. Text has no `type`, and neither has an object that is not empty. */
function element(tag: XmlTag, value: unknown): string {
  if (value === null || value === undefined) return wrapped(tag, 'null', '')
  if (Array.isArray(value))
    return wrapped(tag, 'list', value.map((inner) => element(itemTag, inner)).join(''))
  if (isRecord(value)) return objectElement(tag, value)
  if (typeof value !== 'string') return wrapped(tag, typeof value, String(value))
  return isWritable(value) ? wrapped(tag, undefined, escaped(value)) : jsonElement(tag, value)
}

function objectElement(tag: XmlTag, record: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(record)
  if (names.length === 0) return wrapped(tag, 'object', '')
  if (!names.every(isWritable)) return jsonElement(tag, record)
  return wrapped(tag, undefined, names.map((name) => element(tagOf(name), record[name])).join(''))
}

/** Writes a JSON element. JSON can escape any character that XML does not accept. */
function jsonElement(tag: XmlTag, value: unknown): string {
  const json = JSON.stringify(value).replace(
    /[\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  )
  return wrapped(tag, 'json', escaped(json))
}

function wrapped({ name, attributes }: XmlTag, type: string | undefined, content: string): string {
  const start = type === undefined ? `${name}${attributes}` : `${name}${attributes} type="${type}"`
  return content === '' ? `<${start}/>` : `<${start}>${content}</${name}>`
}

/** Returns the tag for a name. Names inside JSON are arbitrary, and parsers disagree about letters beyond ASCII. */
function tagOf(name: string): XmlTag {
  if (plainName.test(name)) return { name, attributes: '' }
  return { name: 'field', attributes: ` name="${escapedAttribute(name)}"` }
}

// Names that begin with "xml" are reserved, and a colon would divide a name.
const plainName = /^(?!xml)[a-z_][a-z0-9_.-]*$/i

/** True if XML 1.0 can represent the text: it cannot write most control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
const isWritable = (text: string): boolean =>
  !/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text)

// A parser reads a line break of any kind as LF, and in attributes as a blank.
const escaped = (text: string): string => text.replace(/[&<>\r]/g, entityOf)
const escapedAttribute = (text: string): string => text.replace(/[&<>"\t\n\r]/g, entityOf)

const entityOf = (character: string): string => entities[character] ?? `&#${character.charCodeAt(0)};`
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
