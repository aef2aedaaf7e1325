// Input of version functions: the names of a version, and its changes.
import { fault, quote } from '../errors/errors.ts'
import { longestWord } from '../query/single-values.ts'
import { isRecord, isSound } from '../values/guards.ts'
import { main } from './version-rows.ts'

interface NamedVersion {
  readonly key: string
  readonly name: unknown
}

export function readNew(input: unknown): NamedVersion & { readonly delta: unknown } {
  const { key, name, delta } = partsOf(input, ['key', 'name', 'delta'])
  return { key: versionKey(key), name, delta }
}

/** Reads the names of a version. Missing ones stay as they are. */
export function readNames(input: unknown): Partial<NamedVersion> {
  const { key, name } = partsOf(input, ['key', 'name'])
  return { ...(key !== undefined && { key: versionKey(key) }), ...(name !== undefined && { name }) }
}

function partsOf(input: unknown, words: readonly string[]): Readonly<Record<string, unknown>> {
  const parts = `{ ${words.join(', ')} }`
  if (!isRecord(input))
    throw fault('INVALID_PAYLOAD', `A version is made of ${parts}, not of ${quote(input)}.`)
  const other = Object.keys(input).find((word) => !words.includes(word))
  if (other === undefined) return input
  throw fault('INVALID_PAYLOAD', `A version is made of ${parts}; there is no ${quote(other)}.`, {
    path: [other],
  })
}

function versionKey(key: unknown): string {
  const path = ['key']
  if (typeof key !== 'string' || key === '' || key.trim() !== key)
    throw fault(
      'INVALID_PAYLOAD',
      `The key of a version is text without blanks around it, not ${quote(key)}.`,
      { path },
    )
  // A version with another key could never be read.
  if (!isSound(key) || Buffer.byteLength(key) > longestWord)
    throw fault(
      'INVALID_PAYLOAD',
      `The key of a version is text of at most ${longestWord} bytes, without U+0000 or half a surrogate pair.`,
      { path },
    )
  if (key !== main) return key
  throw fault('INVALID_PAYLOAD', `"${main}" means the item itself, so no version can be called so.`, { path })
}
