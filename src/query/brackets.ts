// Parses query text such as `filter[title][_eq]=x&fields[]=id` into a tree of objects, without deciding yet what is a list.
import { fault, quote } from '../errors/errors.ts'
import type { Problems } from '../errors/problems.ts'
import { poisonousNames } from '../schema/forbidden-names.ts'
import { hasMoreBytes, isRecord } from '../values/guards.ts'
import type { Limits } from './limits.ts'
import { listIndex } from './reader.ts'

/** The value of a parameter: one text, a text given several times, or nested brackets. Texts beside brackets
 *  are under `''`. */
type Branch = string | readonly string[] | { readonly [key: string]: Branch }

/** Query text whose brackets have not been parsed yet: raw, or split into names and texts. */
type Unfollowed = string | URLSearchParams | Flat
type Flat = Readonly<Record<string, string | readonly string[]>>

/** True for query text with unparsed brackets. Node's own parser, and with it Koa and Express 5, splits query
 *  text but leaves brackets in the names. */
export function isUnfollowed(input: unknown): input is Unfollowed {
  if (typeof input === 'string' || isSearchParams(input)) return true
  if (!isRecord(input) || !Object.keys(input).some((name) => name.includes('['))) return false
  return Object.values(input).every(
    (value) =>
      typeof value === 'string' || (Array.isArray(value) && value.every((text) => typeof text === 'string')),
  )
}

/** Checked by its tag: another realm, such as a browser's beside Node, has a class of its own. */
const isSearchParams = (input: unknown): input is URLSearchParams =>
  Object.prototype.toString.call(input) === '[object URLSearchParams]'

/** Splits query text into pairs and parses the brackets of their names. */
export function readBrackets(
  input: Unfollowed,
  limits: Limits,
  problems: Problems,
): Readonly<Record<string, Branch>> {
  const root = new BranchDraft()
  for (const [name, value] of pairsOf(input, limits, problems)) {
    const steps = stepsOf(name, limits, problems)
    if (!steps) continue
    let place = root
    for (const step of steps) place = place.child(step)
    place.texts.push(value)
  }
  return Object.fromEntries([...root.children].map(([name, draft]) => [name, draft.finished()]))
}

class BranchDraft {
  readonly texts: string[] = []
  readonly children = new Map<string, BranchDraft>()
  /** The first position after all elements. */
  #end = 0

  child(step: string): BranchDraft {
    // `a[]` is one more element, after the existing ones.
    const key = step === '' ? String(this.#end) : step
    const known = this.children.get(key)
    if (known) return known
    const made = new BranchDraft()
    this.children.set(key, made)
    if (listIndex.test(key)) this.#end = Math.max(this.#end, Number(key) + 1)
    return made
  }

  finished(): Branch {
    const { texts, children } = this
    const [only] = texts
    if (children.size === 0) return texts.length === 1 && only !== undefined ? only : texts
    const entries = [...children].map(([key, draft]): [string, Branch] => [key, draft.finished()])
    return Object.fromEntries(texts.length === 0 ? entries : [...entries, ['', texts]])
  }
}

type Pair = readonly [name: string, value: string]

function pairsOf(input: Unfollowed, limits: Limits, problems: Problems): readonly Pair[] {
  if (typeof input === 'string') return pairsOfText(input, limits, problems)
  const pairs = isSearchParams(input)
    ? [...input]
    : Object.entries(input).flatMap(([name, texts]) => [texts].flat().map((text): Pair => [name, text]))
  checkSize(pairs.map((pair) => pair.join('=&')).join(''), pairs.length, limits)
  return pairs
}

function pairsOfText(text: string, limits: Limits, problems: Problems): readonly Pair[] {
  const query = text.startsWith('?') ? text.slice(1) : text
  checkSize(query, 0, limits)
  const parts = query.split('&').filter((part) => part !== '')
  checkSize('', parts.length, limits)
  return parts.flatMap((part) => {
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals), problems)
    const value = equals < 0 ? '' : decoded(part.slice(equals + 1), problems)
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
}

/** Refuses query text that is too large before it is parsed. */
function checkSize(text: string, pairs: number, limits: Limits): void {
  if (hasMoreBytes(limits.queryText, text)) {
    throw fault('INVALID_QUERY', `The query text is longer than ${limits.queryText} bytes.`)
  }
  if (pairs > limits.pairs) {
    throw fault('INVALID_QUERY', `The query text has more than ${limits.pairs} parameters.`)
  }
}

function decoded(text: string, problems: Problems): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    const hint = 'Write a percent sign itself as %25.'
    problems.add([], `The query text ${quote(text)} is not percent-encoded UTF-8.`, hint)
    return undefined
  }
}

/** Splits a name: `filter[author][name]` → filter, author, name. Only brackets nest; a dot is an ordinary character. */
function stepsOf(name: string, limits: Limits, problems: Problems): readonly string[] | undefined {
  const open = name.indexOf('[')
  const root = open < 0 ? name : name.slice(0, open)
  const inside = open < 0 ? [] : bracketsOf(name.slice(open))
  if (root === '') problems.add([], `A parameter of the query text has no name: ${quote(name)}.`)
  else if (!inside) problems.add([root], `The brackets of ${quote(name)} do not match.`)
  // Lists take a bracket too, so twice the nesting of objects is enough for any valid name.
  else if (inside.length > limits.nesting * 2) {
    problems.add([root], `The parameter ${quote(name)} nests deeper than ${limits.nesting} levels.`)
  } else return sound([root, ...inside], problems)
  return undefined
}

function bracketsOf(text: string): string[] | undefined {
  const steps: string[] = []
  let rest = text
  while (rest !== '') {
    const [whole, inside] = bracket.exec(rest) ?? []
    if (whole === undefined || inside === undefined) return undefined
    steps.push(inside)
    rest = rest.slice(whole.length)
  }
  return steps
}

// A JSON path may have one pair of brackets of its own: `[_json][items[0].name]`.
const bracket = /^\[((?:[^[\]]|\[[^[\]]*\])*)\]/

function sound(steps: readonly string[], problems: Problems): readonly string[] | undefined {
  const poison = steps.find((step) => poisonousNames.has(step))
  if (poison === undefined) return steps
  problems.add(steps, `The name ${quote(poison)} cannot be used.`)
  return undefined
}
