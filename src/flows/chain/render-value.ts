// Renders values: templates become what stands at their places now. What was rendered is not rendered again.
import type { Path } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import { readVariable } from '../../vocabulary/variables.ts'
import { badValue } from '../reject.ts'
import { type Chain, textBytes } from './chain.ts'
import { type CompiledTemplate, type CompiledValue, upToHost } from './compile-value.ts'
import type { PlaceInText } from './template.ts'

/** Bytes, as JSON, that templates may make of the options of one operation, all together. */
const mostRendered = 4 * 1024 * 1024

/** Spends bytes of what is left for the options of one operation: as they are rendered, so that nothing larger is ever made. */
type Spend = (bytes: number, path: Path) => void

function newBudget(): Spend {
  let left = mostRendered
  return (bytes, path) => {
    left -= bytes
    if (left >= 0) return
    throw badValue(
      `What templates make of the options of one operation has more than ${mostRendered.toLocaleString('en')} bytes.`,
      path,
    )
  }
}

/** Returns a value with what stands in the chain at the places of its templates. */
export function renderValue(compiled: CompiledValue, chain: Chain, spend = newBudget()): unknown {
  switch (compiled.kind) {
    case 'constant':
      return compiled.value
    case 'template':
      return renderTemplate(compiled, chain, spend)
    case 'list':
      return compiled.elements.map((one) => renderValue(one, chain, spend))
    case 'object':
      return Object.fromEntries(compiled.entries.map(([name, one]) => [name, renderValue(one, chain, spend)]))
  }
}

/** Returns options by their names, all within one budget. */
export function renderOptions(
  options: readonly (readonly [string, CompiledValue])[],
  chain: Chain,
): Readonly<Record<string, unknown>> {
  const spend = newBudget()
  return Object.fromEntries(options.map(([name, value]) => [name, renderValue(value, chain, spend)]))
}

function renderTemplate({ template, need, path }: CompiledTemplate, chain: Chain, spend: Spend): unknown {
  if (template.kind === 'text') {
    if (need === 'address') return renderAddress(template.parts, path, chain, spend)
    const text = renderText(template.parts, path, chain, { spend })
    // Values that are no variable make one together.
    if (need !== 'any' && readVariable(text))
      throw badValue('The rendered text is the name of a variable.', path)
    return text
  }
  const { slot } = template
  const value = valueAt(slot, chain)
  spend(bytesOf(value), path)
  const refuse = (says: string) => badValue(`The place {{ ${slot.place.text} }} ${says}.`, path)
  if (value === undefined && need !== 'any') throw refuse('holds nothing')
  if (need === 'one' || need === 'address') return oneOf(value, refuse)
  if (need === 'many') {
    if (!Array.isArray(value)) throw refuse('holds no list')
    return value.map((one) => oneOf(one, refuse))
  }
  if (need === 'present' && value === null) throw refuse('holds null')
  return value ?? null
}

/** One value of a filter or a key: a list or an object would be another condition, and the name of a variable another value. */
function oneOf(value: unknown, refuse: (says: string) => Error): unknown {
  if (value === null) throw refuse('holds null, where one value is expected')
  if (typeof value === 'object')
    throw refuse(`holds ${isRecord(value) ? 'an object' : 'a list'}, where one value is expected`)
  if (readVariable(value)) throw refuse('holds the name of a variable, where one value is expected')
  return value
}

const dotSegment = /[/\\](\.|%2e){1,2}(?=[/\\?#]|$)/i

/** An address whose values are parts of it: none of them ends the part that it stands in, or leaves the folder. */
function renderAddress(
  parts: readonly (string | PlaceInText)[],
  path: Path,
  chain: Chain,
  spend: Spend,
): string {
  const empty: number[] = []
  const written = (value: string, before: string) => {
    if (!upToHost.test(before)) return value
    if (value === '' && /[/\\]$/.test(before) && !/[?#]/.test(before)) empty.push(before.length)
    return encodeURIComponent(value.toWellFormed())
  }
  const text = renderText(parts, path, chain, { spend, written })
  if (empty.some((at) => /^(?:[/\\?#]|$)/.test(text.slice(at, at + 1))))
    throw badValue('A value of this address is empty, and without it the address is another one.', path)
  if (dotSegment.test(text.split(/[?#]/, 1)[0] ?? ''))
    throw badValue('A value of this address is "." or "..", which names another folder.', path)
  return text
}

function renderText(
  parts: readonly (string | PlaceInText)[],
  path: Path,
  chain: Chain,
  {
    spend,
    written = (value) => value,
  }: {
    readonly spend: Spend
    readonly written?: (value: string, before: string) => string
  },
): string {
  let text = ''
  for (const part of parts) {
    const piece = typeof part === 'string' ? part : written(textAt(part, path, chain), text)
    spend(textBytes(piece), path)
    text += piece
  }
  return text
}

function textAt(part: PlaceInText, path: Path, chain: Chain): string {
  const value = valueAt(part, chain)
  if (value === undefined)
    throw badValue(
      `The place {{ ${part.place.text} }} holds nothing, so the text around it cannot be written.`,
      path,
    )
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return textBytes(value)
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 8
}

const valueAt = ({ place, fallback }: PlaceInText, chain: Chain): unknown => {
  const value = chain.at(place)
  return fallback && (value === undefined || value === null) ? fallback.value : value
}
