// Puts extra fields into the text of an answer. The rest of the text stays as the database wrote it: a number keeps all its digits.

import type { Path } from '../../../errors/errors.ts'
import { unreachable } from '../../../errors/errors.ts'
import { isOfTooManyBytes } from '../../../errors/too-many-bytes.ts'
import type { ResultBudget } from '../result-budget.ts'
import { fieldErrors, type Reporting, type ResultError } from '../result-error.ts'
import type { BoundExtra, BoundLevel } from './extras.ts'

/** The text of a field with all that was computed, and what failed. */
export interface ExtrasText {
  readonly text: string
  readonly errors: readonly ResultError[]
  /** The errors of a field that is null since the answer would be too long with it. */
  readonly excess: readonly ResultError[] | undefined
}

/** The bytes that an answer may still have, and the way in which its errors are reported. */
export interface AnswerScope {
  readonly budget: ResultBudget
  readonly reporting: Reporting
}

/** Computes the extra fields of a text, all at once. What fails is null. `path`: where the text stands in the answer. */
export async function withExtraFields(
  text: string,
  level: BoundLevel,
  path: Path,
  { budget, reporting }: AnswerScope,
): Promise<ExtrasText> {
  const scanner = new TextScanner(text)
  scanner.value(level, path)
  for (const { before } of scanner.found) budget.note(before)
  budget.note(scanner.rest())
  const errors: ResultError[] = []
  let excess: readonly ResultError[] | undefined
  const settled = await Promise.allSettled(
    scanner.found.map(async ({ extra, item }) => {
      const computed = jsonOf(await extra.compute(item))
      budget.take(computed)
      return computed
    }),
  )
  const parts = settled.map((result, index) => {
    const { extra, path: at, before } = scanner.found[index] ?? notFound()
    if (result.status === 'rejected') {
      const isExcess = isOfTooManyBytes(result.reason)
      // Only one of the fields reports the excess.
      const made =
        isExcess && excess ? [] : fieldErrors(result.reason, { node: extra.node, path: at, reporting })
      if (isExcess) excess ??= made
      errors.push(...made)
    }
    return `${before}${JSON.stringify(extra.name)}:${result.status === 'fulfilled' ? result.value : 'null'}`
  })
  return { text: parts.join('') + scanner.rest(), errors, excess }
}

/** JSON of a value. A circle in it is refused there. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

const notFound = () => {
  throw unreachable('an extra field that was not found')
}

interface FoundExtra {
  readonly extra: BoundExtra
  readonly item: unknown
  readonly path: Path
  /** The text between the extra field before and this one. */
  readonly before: string
}

/** Walks through the levels of a text that hold extra fields, and passes over the others. */
class TextScanner {
  readonly found: FoundExtra[] = []
  readonly #text: string
  #at = 0
  /** End of what was taken. */
  #taken = 0

  constructor(text: string) {
    this.#text = text
  }

  rest(): string {
    return this.#text.slice(this.#taken)
  }

  value(level: BoundLevel, path: Path): void {
    const first = this.#next()
    if (first === '{') this.#object(level, path)
    else if (first === '[') this.#list(level, path)
    else this.#at = endOfValue(this.#text, this.#at)
  }

  #list(level: BoundLevel, path: Path): void {
    this.#at++
    for (let index = 0; this.#next() !== ']'; index++) {
      this.value(level, [...path, index])
      if (this.#next() === ',') this.#at++
    }
    this.#at++
  }

  #object({ members }: BoundLevel, path: Path): void {
    this.#at++
    while (this.#next() !== '}') {
      const start = this.#at
      const end = endOfText(this.#text, start)
      const member = members.get(this.#text.slice(start + 1, end - 1))
      this.#at = end
      if (this.#next() === ':') this.#at++
      this.#member(member, start, path)
      if (this.#next() === ',') this.#at++
    }
    this.#at++
  }

  #member(member: BoundExtra | BoundLevel | undefined, start: number, path: Path): void {
    this.#next()
    const from = this.#at
    if (member?.kind === 'level') {
      this.value(member, [...path, nameAt(this.#text, start)])
      return
    }
    this.#at = endOfValue(this.#text, from)
    if (!member) return
    const item: unknown = JSON.parse(this.#text.slice(from, this.#at))
    const before = this.#text.slice(this.#taken, start)
    this.#taken = this.#at
    this.found.push({ extra: member, item, path: [...path, member.name], before })
  }

  /** Passes over blanks, and returns the next sign. */
  #next(): string {
    while (blanks.has(this.#text.charCodeAt(this.#at))) this.#at++
    return this.#text.charAt(this.#at)
  }
}

const blanks: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09])

/** Names of members are names of GraphQL, or begin with one: there is nothing to be unescaped in them. */
const nameAt = (text: string, start: number): string => text.slice(start + 1, endOfText(text, start) - 1)

function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign === '"') {
      at = endOfText(text, at) - 1
      if (depth === 0) return at + 1
    } else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') {
      // The end of what a number stands in.
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (sign === ',' && depth === 0) return at
  }
  return text.length
}

function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) throw unreachable('a text without an end')
    let signs = 0
    while (text.charAt(at - 1 - signs) === '\\') signs++
    if (signs % 2 === 0) return at + 1
  }
}
