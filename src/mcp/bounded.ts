// Bounds of answers: whole items up to a number of characters, long texts cut, and no bytes.
import { type Collection, isToMany, targetsOf } from '../schema/model.ts'

/** Bounds of answers. */
export interface Bounds {
  /** Items of an answer. */
  readonly items: number
  /** Characters of an answer. */
  readonly characters: number
}

const maxText = 500

/** Returns an item as it is shown: without bytes, and with its long texts cut. */
export const shownItem = (item: unknown, collection: Collection | undefined): unknown =>
  itemsOf(collection).shown(item, maxText)

export const itemsOf = (collection: Collection | undefined): BoundedItems =>
  new BoundedItems(collection ? [collection] : [])

/** Shows items of some collections. It remembers their fields, as each member of each item is looked up. */
class BoundedItems {
  readonly #collections: readonly Collection[]
  /** Contents of fields of a name: bytes, or items of other collections. */
  readonly #below = new Map<string, BoundedItems | 'bytes'>()

  constructor(collections: readonly Collection[]) {
    this.#collections = collections
  }

  /** Returns a value without bytes, and with texts cut that are longer than a limit. */
  shown(value: unknown, limit: number): unknown {
    if (typeof value === 'string') return cut(value, limit)
    if (Array.isArray(value)) return value.map((one) => this.shown(one, limit))
    return typeof value === 'object' && value !== null ? this.#record(Object(value), limit) : value
  }

  /** Returns a record as it is shown: itself if that is all of it, as most are. */
  #record(record: Readonly<Record<string, unknown>>, limit: number): object {
    let changed: Record<string, unknown> | undefined
    for (const name of Object.keys(record)) {
      const member = record[name]
      if (typeof member === 'number' || member === null) continue
      // Names inside of JSON are no fields.
      const below = this.#collections.length > 0 ? (this.#below.get(name) ?? this.#find(name)) : this
      const kept = below === 'bytes' ? '(bytes)' : below.shown(member, limit)
      if (kept === member) continue
      changed ??= { ...record }
      changed[name] = kept
    }
    return changed ?? record
  }

  #find(name: string): BoundedItems | 'bytes' {
    let isBytes = false
    const targets: Collection[] = []
    for (const { fields } of this.#collections) {
      const field = fields.get(name)
      if (field && !isToMany(field) && field.value.family === 'binary') isBytes = true
      if (field) targets.push(...targetsOf(field))
    }
    const below = isBytes ? 'bytes' : targets.length > 0 ? new BoundedItems(targets) : unnamed
    this.#below.set(name, below)
    return below
  }
}

const cut = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit).replace(halfSign, '')}… (${text.length} characters)` : text

/** The first half of a surrogate pair that is cut. */
const halfSign = /[\ud800-\udbff]$/

/** Shows what is in no collection. */
const unnamed = new BoundedItems([])

/** Returns the length at which texts are cut, for the names of the fields that are read: one field alone fills the answer. */
export const textLimit = (fields: unknown, { characters }: Bounds): number =>
  Array.isArray(fields) && fields.length === 1 && !String(fields[0]).includes('*')
    ? characters * 0.95
    : maxText

/** Returns the texts of the first of all, as many as an answer holds, and makes no others. */
export function fitting<One>(
  all: Iterable<One>,
  textOf: (one: One) => string,
  bounds: Bounds,
): readonly string[] {
  const fits: string[] = []
  let characters = 0
  for (const one of all) {
    const text = textOf(one)
    characters += text.length + 1
    if (characters > bounds.characters) return fits
    fits.push(text)
  }
  return fits
}

/** Returns data as JSON. Where that is too long, long members are their sizes alone, and a last line says so. */
export function boundedJson(data: object, { characters }: Bounds): string {
  const whole = JSON.stringify({ data }, plain)
  if (whole.length <= characters) return whole
  const members = Object.entries(data).map(([name, member]) => [name, sizeOfLong(member)])
  return `${JSON.stringify({ data: Object.fromEntries(members) }, plain)}\nToo long for an answer: of long values it has the sizes alone.`
}

function sizeOfLong(member: unknown): unknown {
  const { length } = String(JSON.stringify(member, plain))
  if (length <= longestMember) return member
  return Array.isArray(member) ? `(${member.length} items, ${length} characters)` : `(${length} characters)`
}

const longestMember = 1_000

const plain = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** Returns as many of the lines as an answer holds, and says how many there are. One that is too long alone is cut. */
export function boundedLines(
  lines: Iterable<string>,
  { count, hint, bounds }: { readonly count: number; readonly hint: string; readonly bounds: Bounds },
): string {
  const fits = fitting(lines, (line) => cut(line, bounds.characters * 0.8), bounds)
  const said = fits.length < count ? [`${fits.length} of ${count} lines. ${hint}`] : []
  return [...fits, ...said].join('\n')
}
