// Values of form fields. Forms hold nothing but texts.
import { type Field, isToMany } from '../schema/model.ts'

/** Returns the value of a field; unknown fields are refused later, whatever their value. */
export function formValue(field: Field | undefined, text: string): unknown {
  if (!field) return text
  if (text.trim() === 'null') return null
  const family = isToMany(field) ? 'json' : field.value.family
  return Object.hasOwn(readers, family) ? readers[family]?.(text) : text
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => jsonOr(text, () => text),
  csv: (text) => (/^\s*\[/.test(text) ? jsonOr(text, listOf) : listOf(text)),
  boolean: (text) => jsonOr(text, () => text),
}

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

function jsonOr(text: string, otherwise: (text: string) => unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise(text)
  }
}
