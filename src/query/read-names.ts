// Lists of names: `fields`, `sort`, `groupBy`, and the fields of an aggregate.
import { type Path, quote } from '../errors/errors.ts'
import { poisonousNames } from '../schema/forbidden-names.ts'
import { isRecord, isSound } from '../values/guards.ts'
import { isAggregate } from '../vocabulary/aggregates.ts'
import { readCall } from './call.ts'
import { directionHint, isDirection, orderHint } from './direction-hint.ts'
import { type QueryReader, readList } from './reader.ts'
import { scopeMistake } from './scope.ts'

/** Reads a list of names in any of its forms. Undefined if it is empty or, with a problem reported, invalid.
 *  Too many names are refused unread. */
export function readNames(
  value: unknown,
  path: Path,
  reader: QueryReader,
  max = Number.POSITIVE_INFINITY,
): readonly string[] | undefined {
  const elements = readList(value, reader)?.elements ?? (typeof value === 'string' ? [value] : undefined)
  if (!elements) {
    reader.problems.add(
      path,
      `"${path.at(-1)}" takes a list of names, not ${quote(value)}.`,
      listHint(value, path),
    )
    return undefined
  }
  if (elements.length > max) return refuseMany(path, reader, max)
  const problemsBefore = reader.problems.all.length
  const read = elements.map((element, index) =>
    readElement(element, elements.length > 1 ? [...path, index] : path, reader),
  )
  const names = read.flat()
  if (names.length === 0 || (names.length === 1 && names[0] === '')) return undefined
  if (names.length > max) return refuseMany(path, reader, max)
  for (const name of names) checkName(name, path, reader)
  return reader.problems.all.length > problemsBefore ? undefined : names
}

function refuseMany(path: Path, reader: QueryReader, max: number): undefined {
  reader.problems.add(path, `"${path.at(-1)}" takes at most ${max} names.`)
  return undefined
}

function readElement(element: unknown, path: Path, reader: QueryReader): string[] {
  if (typeof element === 'string') return splitOutsideParentheses(element).map((name) => name.trim())
  reader.problems.add(path, `A name is text, not ${quote(element)}.`, listHint(element, path))
  return []
}

const isSort = (path: Path): boolean => path.some((step) => step === 'sort' || step === '_sort')

/** A hint for an order, or a selection, that is written as an object. */
function listHint(value: unknown, path: Path): string | undefined {
  if (isSort(path) && (isRecord(value) || isPairs(value))) return orderHint
  return path[0] === 'fields' && isRecord(value) ? 'Write ["title", "author.name"].' : undefined
}

/** True for a list such as ["title", "desc"]. A hostile list can be endless, so only its beginning is looked at. */
const isPairs = (value: unknown): boolean => Array.isArray(value) && value.slice(0, 10).some(isDirection)

/** Splits at commas, except at those inside parentheses: `id,json(meta, a)` has two names. */
function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++
    if (text[index] === ')') depth--
    if (text[index] !== ',' || depth > 0) continue
    parts.push(text.slice(start, index))
    start = index + 1
  }
  return [...parts, text.slice(start)]
}

function checkName(name: string, path: Path, reader: QueryReader): void {
  if (reader.problems.isFull) return
  const mistake = nameMistake(name, reader.limits.relationDepth)
  if (mistake)
    reader.problems.add(
      path,
      mistake,
      isSort(path) ? (directionHint(name) ?? hintFor(name, path)) : hintFor(name, path),
    )
}

/** A hint for aggregates written like functions: groups are sorted by the names that they have in the result. */
function hintFor(name: string, path: Path): string | undefined {
  const [, sign, word = '', field] = /^(-?)(\w+)\(\s*([^().\s]+)\s*\)$/.exec(name) ?? []
  if (!isAggregate(word)) return undefined
  return isSort(path) ? `Write "${sign}${word}.${field}".` : `Write aggregate[${word}]=${field}.`
}

function nameMistake(name: string, maxRelations: number): string | undefined {
  const bare = name.replace(/^-/, '')
  if (bare === '') return 'A name in the list is empty.'
  if (name.length > longestName) return `The name ${quote(name)} is longer than ${longestName} characters.`
  if (!isSound(name)) return `The name ${quote(name)} holds U+0000 or half a surrogate pair.`
  const { relations, last } = partsOf(bare)
  const call = readCall(last)
  if (typeof call === 'string') return `${quote(name)} is not understood: ${call}.`
  const steps = [...relations, ...(call ? call.field.split('.') : [last])]
  if (steps.length - 1 > maxRelations) return `${quote(name)} follows more than ${maxRelations} relations.`
  for (const step of steps) {
    const mistake = stepMistake(step)
    if (mistake) return `${quote(name)} is not understood: ${mistake}.`
  }
  return undefined
}

const longestName = 4_096

/** Splits `author.year(born)` into author and year(born). */
function partsOf(name: string): { readonly relations: readonly string[]; readonly last: string } {
  const open = name.indexOf('(')
  const dot = (open < 0 ? name : name.slice(0, open)).lastIndexOf('.')
  return { relations: dot < 0 ? [] : name.slice(0, dot).split('.'), last: name.slice(dot + 1) }
}

function stepMistake(step: string): string | undefined {
  if (step.trim() === '') return 'a name is missing beside a dot'
  if (poisonousNames.has(step)) return `the name ${quote(step)} cannot be used`
  if (/[()]/.test(step)) return 'write it as function(field)'
  return scopeMistake(step)
}
