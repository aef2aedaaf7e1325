// Lists of names: `fields`, `sort`, `groupBy`, and the fields of an aggregate.
import { type Path, quote } from '../errors.ts'
import { isSound } from '../values/text.ts'
import { readCall } from './call.ts'
import { type Reader, readList } from './reader.ts'

/** Reads a list of names in any of its forms. Undefined when it is empty or, with a problem noted, wrong. */
export function readNames(value: unknown, path: Path, reader: Reader): readonly string[] | undefined {
  const elements = typeof value === 'string' && !value.trimStart().startsWith('[') ? [value] : readList(value)
  if (!elements) {
    reader.problems.add(path, `"${path.join('.')}" takes a list of names, not ${quote(value)}.`)
    return undefined
  }
  const names = elements.flatMap((element, index) =>
    readElement(element, elements.length > 1 ? [...path, index] : path, reader),
  )
  if (names.length === 0 || (names.length === 1 && names[0] === '')) return undefined
  for (const name of names) checkName(name, path, reader)
  return names
}

function readElement(element: unknown, path: Path, reader: Reader): string[] {
  if (typeof element === 'string') return splitOutsideParentheses(element).map((name) => name.trim())
  reader.problems.add(path, `A name is text, not ${quote(element)}.`)
  return []
}

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

function checkName(name: string, path: Path, reader: Reader): void {
  const mistake = nameMistake(name, reader)
  if (mistake) reader.problems.add(path, mistake)
}

function nameMistake(name: string, reader: Reader): string | undefined {
  if (name === '') return 'A name in the list is empty.'
  if (!isSound(name) || name.length > longestName) return `The name ${quote(name)} cannot be used.`
  const call = readCall(lastPart(name))
  if (typeof call === 'string') return `${quote(name)} is not understood: ${call}.`
  const depth = partsOf(name).length + (call ? call.field.split('.').length - 1 : 0)
  if (depth > reader.limits.relationDepth)
    return `${quote(name)} follows more than ${reader.limits.relationDepth} names.`
  return undefined
}

const longestName = 4_096

const partsOf = (name: string) => name.replace(/\(.*\)/s, '()').split('.')
const lastPart = (name: string) => {
  const open = name.indexOf('(')
  const dot = open < 0 ? name.lastIndexOf('.') : name.lastIndexOf('.', open)
  return name.slice(dot + 1).replace(/^-/, '')
}
