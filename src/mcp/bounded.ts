// Bounds of answers: whole items up to a number of characters, long texts cut, and no bytes.
import { type Collection, type Field, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'

/** Bounds of answers. */
export interface Bounds {
  /** Items of an answer. */
  readonly items: number
  /** Characters of an answer. */
  readonly characters: number
}

const maxText = 500

/** Returns an item as it is shown: without bytes, and with its long texts cut unless it is one field alone. */
export function shownItem(
  item: unknown,
  collection: Collection | undefined,
  limit: number = maxText,
): unknown {
  return shown(item, collection ? [collection] : [], limit)
}

function shown(value: unknown, collections: readonly Collection[], limit: number): unknown {
  if (typeof value === 'string')
    return value.length > limit ? `${value.slice(0, limit)}… (${value.length} characters)` : value
  if (Array.isArray(value)) return value.map((one) => shown(one, collections, limit))
  return isRecord(value) ? shownRecord(value, collections, limit) : value
}

/** Returns a record as it is shown: itself if that is all of it, as most are. */
function shownRecord(
  record: Readonly<Record<string, unknown>>,
  collections: readonly Collection[],
  limit: number,
): Readonly<Record<string, unknown>> {
  let changed: Record<string, unknown> | undefined
  for (const [name, member] of Object.entries(record)) {
    const kept = shownMember(name, member, collections, limit)
    if (kept === member) continue
    changed ??= { ...record }
    changed[name] = kept
  }
  return changed ?? record
}

function shownMember(
  name: string,
  member: unknown,
  collections: readonly Collection[],
  limit: number,
): unknown {
  if (typeof member === 'number' || member === null) return member
  if (collections.some(({ fields }) => isBinary(fields.get(name)))) return '(bytes)'
  if (typeof member === 'string') return shown(member, [], limit)
  const fields = collections.flatMap((one) => one.fields.get(name) ?? [])
  return shown(member, fields.flatMap(targetsOf), limit)
}

const isBinary = (field: Field | undefined): boolean =>
  field !== undefined && !isToMany(field) && field.value.family === 'binary'

/** Returns the collections that a field leads to. */
export function targetsOf(field: Field): readonly Collection[] {
  if (field.kind === 'any') return [...field.targets.values()]
  return 'target' in field ? [field.target] : []
}

/** Returns the JSON of as many items as an answer holds, all of them whole. */
export const fitting = (items: readonly unknown[], bounds: Bounds): readonly string[] =>
  fittingTexts(
    items.map((item) => JSON.stringify(item)),
    bounds,
  )

/** Returns the length at which texts are cut, for the names of the fields that are read: one field alone fills the answer. */
export const textLimit = (fields: unknown, { characters }: Bounds): number =>
  Array.isArray(fields) && fields.length === 1 ? characters * 0.95 : maxText

/** Returns the first texts, as many as an answer holds, and makes no others. */
function fittingTexts(texts: Iterable<string>, bounds: Bounds): readonly string[] {
  const fits: string[] = []
  let characters = 0
  for (const text of texts) {
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

/** Returns as many of the lines as an answer holds, and says how many there are. */
export function boundedLines(
  lines: Iterable<string>,
  { count, hint, bounds }: { readonly count: number; readonly hint: string; readonly bounds: Bounds },
): string {
  const fits = fittingTexts(lines, bounds)
  const said = fits.length < count ? [`${fits.length} of ${count} lines. ${hint}`] : []
  return [...fits, ...said].join('\n')
}
