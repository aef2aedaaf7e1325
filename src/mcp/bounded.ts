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
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const fields = collections.flatMap((one) => one.fields.get(name) ?? [])
      const isBytes =
        member !== null && fields.some((field) => !isToMany(field) && field.value.family === 'binary')
      return [name, isBytes ? '(bytes)' : shown(member, fields.flatMap(targetsOf), limit)]
    }),
  )
}

/** Returns the collections that a field leads to. */
export function targetsOf(field: Field): readonly Collection[] {
  if (field.kind === 'any') return [...field.targets.values()]
  return 'target' in field ? [field.target] : []
}

/** Returns how many of the items an answer holds, all of them whole. */
export const fitting = (items: readonly unknown[], bounds: Bounds): number =>
  fittingTexts(
    items.map((item) => JSON.stringify(item)),
    bounds,
  ).length

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
