// Renders values: templates become what stands at their places now. What was rendered is not rendered again.
import { type Path, quote } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import { readVariable } from '../../vocabulary/variables.ts'
import { badValue } from '../reject.ts'
import { type Chain, mostChain } from './chain.ts'
import { type CompiledValue, type Need, upToHost } from './compile-value.ts'
import type { PlaceInText, TextTemplate } from './template.ts'

/** Returns a value with what stands in the chain at the places of its templates. */
export function renderValue(compiled: CompiledValue, chain: Chain): unknown {
  switch (compiled.kind) {
    case 'constant':
      return compiled.value
    case 'template':
      return renderTemplate(compiled, chain)
    case 'list':
      return compiled.elements.map((one) => renderValue(one, chain))
    case 'object':
      return Object.fromEntries(compiled.entries.map(([name, one]) => [name, renderValue(one, chain)]))
  }
}

interface Rendering {
  readonly template: TextTemplate
  readonly need: Need
  readonly path: Path
}

function renderTemplate({ template, need, path }: Rendering, chain: Chain): unknown {
  if (template.kind === 'text') {
    if (need === 'address') return renderAddress(template.parts, path, chain)
    const text = renderText(template.parts, path, chain)
    // Values that are no variable make one together.
    if (need !== 'any' && readVariable(text))
      throw badValue('The rendered text is the name of a variable.', path)
    return text
  }
  const { slot } = template
  const value = valueAt(slot, chain)
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
function renderAddress(parts: readonly (string | PlaceInText)[], path: Path, chain: Chain): string {
  const empty: number[] = []
  const text = renderText(parts, path, chain, (value, before) => {
    if (!upToHost.test(before)) return value
    if (value === '' && /[/\\]$/.test(before) && !/[?#]/.test(before)) empty.push(before.length)
    return encodeURIComponent(value.toWellFormed())
  })
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
  written: (value: string, before: string) => string = (value) => value,
): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else {
      const value = valueAt(part, chain)
      if (value === undefined)
        throw badValue(
          `The place {{ ${part.place.text} }} holds nothing, so the text around it cannot be written.`,
          path,
        )
      text += written(typeof value === 'string' ? value : JSON.stringify(value), text)
    }
    if (text.length > mostChain)
      throw badValue(`A rendered text has more than ${quote(mostChain)} characters.`, path)
  }
  return text
}

const valueAt = ({ place, fallback }: PlaceInText, chain: Chain): unknown => {
  const value = chain.at(place)
  return fallback && (value === undefined || value === null) ? fallback.value : value
}
