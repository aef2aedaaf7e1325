// Query text such as `filter[title][_eq]=x&fields[]=id` as a tree of objects, without deciding yet what is a list.
import { fault, quote } from '../errors.ts'
import { poisonousNames } from '../schema/names.ts'
import type { Limits } from './limits.ts'

/** What a parameter holds: one text, a text given several times, or brackets with more inside. Texts beside brackets stand under `''`. */
export type Branch = string | readonly string[] | { readonly [key: string]: Branch }

/** Splits query text into pairs and follows the brackets of their names. */
export function readBrackets(
  input: string | URLSearchParams,
  limits: Limits,
): Readonly<Record<string, Branch>> {
  const pairs = typeof input === 'string' ? pairsOf(input, limits) : pairsWithin(input, limits)
  const root: Draft = newDraft()
  for (const [name, value] of pairs) {
    const steps = stepsOf(name, limits)
    let place = root
    for (const step of steps) place = childOf(place, step)
    place.texts.push(value)
  }
  return Object.fromEntries([...root.children].map(([name, draft]) => [name, finished(draft)]))
}

interface Draft {
  readonly texts: string[]
  readonly children: Map<string, Draft>
}

const newDraft = (): Draft => ({ texts: [], children: new Map() })

function childOf(draft: Draft, step: string): Draft {
  // `a[]` is one more element: the key after the ones already there.
  const key = step === '' ? String(draft.children.size) : step
  const known = draft.children.get(key)
  if (known && step !== '') return known
  const made = newDraft()
  draft.children.set(freeKey(draft, key), made)
  return made
}

function freeKey({ children }: Draft, key: string): string {
  let free = key
  while (children.has(free)) free = String(Number(free) + 1)
  return free
}

function finished({ texts, children }: Draft): Branch {
  const [only] = texts
  if (children.size === 0) return texts.length === 1 && only !== undefined ? only : texts
  const inside: Record<string, Branch> = Object.fromEntries(
    [...children].map(([key, draft]) => [key, finished(draft)]),
  )
  return texts.length === 0 ? inside : { ...inside, '': texts }
}

function pairsOf(text: string, limits: Limits): [string, string][] {
  const query = text.startsWith('?') ? text.slice(1) : text
  if (Buffer.byteLength(query) > limits.queryText) throw tooLong(limits)
  const parts = query.split('&').filter((part) => part !== '')
  if (parts.length > limits.pairs) throw tooMany(limits)
  return parts.map((part) => {
    const equals = part.indexOf('=')
    return equals < 0 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))]
  })
}

function pairsWithin(parameters: URLSearchParams, limits: Limits): [string, string][] {
  const pairs = [...parameters]
  if (pairs.length > limits.pairs) throw tooMany(limits)
  const length = pairs.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + 2,
    0,
  )
  if (length > limits.queryText) throw tooLong(limits)
  return pairs
}

const tooLong = (limits: Limits) =>
  fault('INVALID_QUERY', `The query text is longer than ${limits.queryText} bytes.`)
const tooMany = (limits: Limits) =>
  fault('INVALID_QUERY', `The query has more than ${limits.pairs} parameters.`)

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw fault(
      'INVALID_QUERY',
      `The query text ${quote(text)} is not well encoded: "%" starts no UTF-8 character there.`,
    )
  }
}

/** `filter[author][name]` → filter, author, name. Only brackets nest; a dot is an ordinary character. */
function stepsOf(name: string, limits: Limits): string[] {
  if (name === '') throw fault('INVALID_QUERY', 'A parameter of the query text has no name.')
  const open = name.indexOf('[')
  const steps = open < 1 ? [name] : [name.slice(0, open)]
  let rest = open < 1 ? '' : name.slice(open)
  while (rest !== '') {
    const inside = bracket.exec(rest)
    if (!inside) throw fault('INVALID_QUERY', `The brackets of the parameter ${quote(name)} do not match.`)
    steps.push(inside[1] ?? '')
    rest = rest.slice(inside[0].length)
  }
  // Lists take a bracket too, so twice the nesting of objects is enough for any legal name.
  if (steps.length > limits.nesting * 2)
    throw fault('INVALID_QUERY', `The parameter ${quote(name)} nests deeper than ${limits.nesting} levels.`)
  const poison = steps.find((step) => poisonousNames.has(step))
  if (poison !== undefined)
    throw fault('INVALID_QUERY', `The name ${quote(poison)} cannot be used.`, { path: steps })
  return steps
}

// A JSON path may hold one pair of brackets of its own: `[_json][items[0].name]`.
const bracket = /^\[((?:[^[\]]|\[[^[\]]*\])*)\]/
