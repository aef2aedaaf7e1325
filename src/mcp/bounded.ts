// Bounds of answers: whole items up to a number of characters, long texts cut, and no bytes.
import { type Collection, type Field, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'

export const maxItems = 25
const maxCharacters = 20_000
const maxText = 500

/** Returns an item as it is shown: without bytes, and with its long texts cut unless it is one field alone. */
export function shownItem(item: unknown, collection: Collection | undefined, isAlone: boolean): unknown {
  const limit = isAlone ? maxCharacters - 1_000 : maxText
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

function targetsOf(field: Field): readonly Collection[] {
  if (field.kind === 'any') return [...field.targets.values()]
  return 'target' in field ? [field.target] : []
}

/** Returns how many of the items an answer holds, all of them whole. */
export const fitting = (items: readonly unknown[]): number =>
  fittingTexts(items.map((item) => JSON.stringify(item)))

function fittingTexts(texts: readonly string[]): number {
  let characters = 0
  for (const [at, text] of texts.entries()) {
    characters += text.length + 1
    if (characters > maxCharacters) return at
  }
  return texts.length
}

/** Returns as many lines as an answer holds, and says how many there are. */
export function boundedLines(lines: readonly string[], hint: string): string {
  const fits = fittingTexts(lines)
  const said = fits < lines.length ? [`${fits} of ${lines.length} lines. ${hint}`] : []
  return [...lines.slice(0, fits), ...said].join('\n')
}
