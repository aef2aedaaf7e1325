import { fault, quote } from '../errors/errors.ts'
import type { Dialect } from './dialect.ts'
import { phrases as postgres } from './postgres/phrases.ts'
import { phrases as sqlite } from './sqlite/phrases.ts'

/** The dialects that may be given by name, without what reads a catalogue: filters are compiled in browsers, too. */
const phrases = { sqlite, postgres } as const satisfies Record<string, Dialect>
export type DialectName = keyof typeof phrases

/** Returns the phrases that compile queries of the given dialect, by name or as an object. */
export const phrasesOf = (input: DialectName | Dialect): Dialect =>
  typeof input === 'object' ? input : dialectNamed(input, phrases)

export function dialectNamed(name: string, dialects: Readonly<Record<DialectName, Dialect>>): Dialect {
  if (Object.hasOwn(dialects, name)) return dialects[name as DialectName] // just tested
  throw unknownDialect(`There is no dialect ${quote(name)}.`)
}

export function unknownDialect(sentence: string) {
  const names = Object.keys(phrases).map((name) => `"${name}"`)
  return fault('INVALID_OPTIONS', sentence, {
    path: ['dialect'],
    hint: `Give the dialect as ${names.join(' or ')}.`,
  })
}
