// Values with templates, read once: what stands in the options of an operation, before it is rendered.
import type { Path } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import { type PlaceInText, readTemplate, type TextTemplate } from './template.ts'

/** Values that a template may bring: any, one, a list of them, anything but nothing, or parts of an address. */
export type Need = 'any' | 'one' | 'many' | 'present' | 'address'

export interface CompiledTemplate {
  readonly kind: 'template'
  readonly template: TextTemplate
  readonly need: Need
  readonly path: Path
}

export type CompiledValue =
  | { readonly kind: 'constant'; readonly value: unknown }
  | CompiledTemplate
  | { readonly kind: 'list'; readonly elements: readonly CompiledValue[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, CompiledValue])[] }

/** The reading of a value: what its templates may be, and where their mistakes and places go. */
export interface Compiling {
  readonly report: (path: Path, message: string, hint?: string) => void
  readonly onSlot: (slot: PlaceInText, path: Path) => void
}

/** Reads a value. `need`: of each of its templates. */
export function compileValue(value: unknown, path: Path, need: Need, compiling: Compiling): CompiledValue {
  if (typeof value === 'string') return compileText(value, path, need, compiling)
  if (Array.isArray(value)) {
    const inner = need === 'many' ? 'one' : need
    return listOf(value.map((one, at) => compileValue(one, [...path, at], inner, compiling)))
  }
  if (!isRecord(value)) return { kind: 'constant', value }
  return objectOf(
    Object.keys(value).map((name) => [
      name,
      compileValue(Reflect.get(value, name), [...path, name], need, compiling),
    ]),
  )
}

export function compileText(text: string, path: Path, need: Need, compiling: Compiling): CompiledValue {
  const template = readTemplate(text)
  if (template === undefined) return { kind: 'constant', value: text }
  if (typeof template === 'string') {
    compiling.report(path, `The template cannot be read: ${template}.`)
    return { kind: 'constant', value: null }
  }
  for (const slot of slotsOf(template)) compiling.onSlot(slot, path)
  return { kind: 'template', template, need, path }
}

const slotsOf = (template: TextTemplate): readonly PlaceInText[] =>
  template.kind === 'whole' ? [template.slot] : template.parts.filter((part) => typeof part !== 'string')

/** A list, which is constant if its elements are. */
export function listOf(elements: readonly CompiledValue[]): CompiledValue {
  if (!elements.every(isConstant)) return { kind: 'list', elements }
  return { kind: 'constant', value: elements.map(({ value }) => value) }
}

export function objectOf(entries: readonly (readonly [string, CompiledValue])[]): CompiledValue {
  if (!entries.every(([, one]) => isConstant(one))) return { kind: 'object', entries }
  return {
    kind: 'constant',
    value: Object.fromEntries(entries.map(([name, one]) => [name, isConstant(one) && one.value])),
  }
}

export const isConstant = (one: CompiledValue): one is CompiledValue & { kind: 'constant' } =>
  one.kind === 'constant'

/** An address up to its host: what follows is a path, a query or nothing. */
export const upToHost = /^https?:\/\/[^/?#\\@\s]+[/?#]/i

/** True for an address whose host is written out. */
export function namesHost(compiled: CompiledValue): boolean {
  if (compiled.kind === 'constant') return true
  if (compiled.kind !== 'template' || compiled.template.kind === 'whole') return false
  const [first] = compiled.template.parts
  return typeof first === 'string' && upToHost.test(first)
}
