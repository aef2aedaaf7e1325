// How a case of the read verbs is written down.
import type { EngineOptions, ErrorCode, Path, Schema, ShownKey } from '../../../src/index.ts'

export interface ReadCase {
  readonly title: string
  readonly call: Call
  /** What is answered; the order of names counts. */
  readonly expect: unknown
  /** How the engine is set. */
  readonly engine?: Pick<EngineOptions<Schema>, 'limits' | 'timezone' | 'negationMatchesNull'>
  /** What the case cannot do without. */
  readonly needs?: Need
}

/** What a case asks for and is answered, and the rest of it. */
type ReadRow = readonly [call: Call, expect: unknown, more?: Pick<ReadCase, 'engine' | 'needs'>]

/** Cases under their titles. */
export const casesOf = (rows: Readonly<Record<string, ReadRow>>): readonly ReadCase[] =>
  Object.entries(rows).map(([title, [call, expect, more]]) => ({ title, call, expect, ...more }))

/** Geometry that is stored as text, columns that take any text for JSON, time zones by name, sums of decimals with all digits. */
export type Need = 'textGeometry' | 'looseColumns' | 'namedZones' | 'exactSums'

export interface Call {
  readonly verb: 'list' | 'stream' | 'one' | 'singleton'
  readonly of: string
  readonly key: ShownKey
  readonly query: Readonly<Record<string, unknown>>
}

type Asked = Call['query']

export const list = (of: string, query: Asked = {}): Call => ({ verb: 'list', of, key: '', query })
export const stream = (of: string, query: Asked = {}): Call => ({ verb: 'stream', of, key: '', query })
export const one = (of: string, key: ShownKey, query: Asked = {}): Call => ({ verb: 'one', of, key, query })
export const singleton = (of: string, query: Asked = {}): Call => ({ verb: 'singleton', of, key: '', query })

export const items = (...data: readonly unknown[]) => ({ data })
export const ids = (...keys: readonly (number | string)[]) => items(...keys.map((id) => ({ id })))

export interface Refusal {
  readonly code: ErrorCode
  readonly path?: Path
  readonly message: string
  readonly hint?: string
}

/** One problem, or several that are told together. */
export const refused = (...problems: readonly Refusal[]) => ({ problems })

export const unknownField = (name: string, collection: string, path: Path, hint?: string): Refusal => ({
  code: 'FORBIDDEN',
  path,
  message: `There is no field "${name}" in "${collection}", or you may not use it.`,
  ...(hint !== undefined && { hint: `Did you mean "${hint}"?` }),
})

export const invalid = (path: Path, message: string, hint?: string): Refusal => ({
  code: 'INVALID_QUERY',
  path,
  message,
  ...(hint !== undefined && { hint }),
})
