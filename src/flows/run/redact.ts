// Keeps the texts of secrets out of what comes from outside: servers answer with headers that they were sent.
import { isRecord } from '../../values/guards.ts'

const redacted = '--redacted--'

/** The forms in which a text is sent: as it is, in an address, and in JSON. */
const formsOf = (text: string): readonly string[] => [
  text,
  encodeURIComponent(text.toWellFormed()),
  new URLSearchParams([[text, '']]).toString().slice(0, -1),
  JSON.stringify(text).slice(1, -1),
]

/** Returns a function that replaces the texts of secrets in values. What holds none is returned as it is. */
export function redactor(secrets: Readonly<Record<string, string>>): (value: unknown) => unknown {
  // The longest first: one may stand in another.
  const texts = [...new Set(Object.values(secrets).flatMap(formsOf))].sort(
    (one, other) => other.length - one.length,
  )
  if (texts.length === 0) return (value) => value
  const inText = (text: string) => texts.reduce((all, secret) => all.replaceAll(secret, redacted), text)
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
