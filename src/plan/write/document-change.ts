// Changes of a document: what an update merges into a stored JSON object by RFC 7396, or sets at paths in it.

import type { DocumentChange, DocumentStep } from '../../dialects/stored-values.ts'
import { type EngineError, fault, type Path, quote } from '../../errors/errors.ts'
import type { Field, ScalarField } from '../../schema/model.ts'
import { accepted, type StoredRead } from '../../types/family-row.ts'
import { readJson } from '../../types/json.ts'
import { isRecord } from '../../values/guards.ts'
import { readJsonPath } from '../../values/json-path.ts'
import type { ItemData } from './changes.ts'
import { readStored } from './stored-value.ts'
import { valueMistake } from './value-mistake.ts'

const words = ['_merge', '_set'] as const
/** The word of an object in the place of a document that is no operator, and is stored as it is. */
const plain = '$value'
/** The maximum number of names in a change: each may write the whole document once more. */
const mostNames = 500

const isAlone = (input: unknown, word: string): input is ItemData =>
  isRecord(input) && Object.hasOwn(input, word) && Object.keys(input).length === 1

/** The word of an object that stands for a change of a part of a document, wherever it stands; undefined if it is none. */
export const wordOfChange = (input: unknown): (typeof words)[number] | undefined =>
  words.find((word) => isAlone(input, word))

const isDocument = (field: Field): field is ScalarField =>
  field.kind === 'scalar' && field.value.family === 'json' && !field.value.isArray

export const mayBeChanged = (field: ScalarField): boolean => isDocument(field) && !field.isConcealed

/** Returns the value that a payload gives to a field, which may be the document in `$value`. */
export const valueIn = (field: Field, input: unknown): unknown =>
  isWrapped(field, input) ? input[plain] : input

export const isWrapped = (field: Field, input: unknown): input is ItemData =>
  isDocument(field) && isAlone(input, plain)

/** Returns a document as a payload gives it: one that looks like an operator stands in `$value`. */
export const asValue = (document: unknown): unknown =>
  wordOfChange(document) || isAlone(document, plain) ? { [plain]: document } : document

export function readChange(
  field: ScalarField,
  input: ItemData,
  path: Path,
): { readonly by: DocumentChange } | EngineError {
  const word = wordOfChange(input) ?? '_merge'
  const refusal = (says: string, at: Path = path) => fault('INVALID_PAYLOAD', says, { path: at })
  const { name } = field
  if (!mayBeChanged(field))
    return refusal(`"${name}" is no JSON field that is shown, so that no part of it can be changed.`)
  const at = [...path, word]
  const { [word]: value } = input
  if (!isRecord(value)) return refusal(`"${word}" of "${name}" takes an object, not ${quote(value)}.`, at)
  const read = readJson(value)
  if (read.kind === 'mistake') return valueMistake(field, at, read, value)
  // An object stays one as JSON, unless it says otherwise.
  if (!isRecord(read.value)) return refusal(`"${word}" of "${name}" takes an object.`, at)
  const tooMany = () => refusal(`"${word}" of "${name}" changes ${mostNames} places at most.`, at)
  if (word === '_merge')
    return hasMoreNames(read.value)
      ? tooMany()
      : { by: { steps: mergingSteps(read.value, []), patch: read.value } }
  const steps = settingSteps(read.value)
  if (typeof steps === 'string') return refusal(`"_set" of "${name}" takes paths of names: ${steps}.`, at)
  return steps.length > mostNames ? tooMany() : { by: { steps } }
}

/** True if a patch has more names than may be changed, those inside of others included. */
function hasMoreNames(patch: ItemData): boolean {
  const names = Object.entries(patch)
  // Grows while it is walked.
  for (const [, value] of names) {
    if (names.length > mostNames) return true
    if (isRecord(value)) names.push(...Object.entries(value))
  }
  return names.length > mostNames
}

/** The steps of a patch: null takes a member out, and an object is merged into what is there. */
function mergingSteps(patch: ItemData, path: readonly string[]): readonly DocumentStep[] {
  const members = Object.entries(patch)
  const put = members.filter(([, value]) => value !== null && !isRecord(value))
  const gone = members.flatMap(([name, value]) => (value === null ? [name] : []))
  const inner = members.flatMap(([name, value]) =>
    isRecord(value) ? mergingSteps(value, [...path, name]) : [],
  )
  return [{ path, gone, put: Object.fromEntries(put), isStrict: path.length === 0 }, ...inner]
}

/** The steps of values at paths, in their order; a text says what is wrong with a path. */
function settingSteps(values: ItemData): readonly DocumentStep[] | string {
  const steps: DocumentStep[] = [whole]
  for (const [text, value] of Object.entries(values)) {
    const path = readJsonPath(text)
    if (typeof path === 'string') return path
    const names = path.filter((step) => typeof step === 'string')
    const last = names.at(-1)
    if (last === undefined || names.length < path.length)
      return `${quote(text)} leads into a list, which is replaced as a whole`
    for (let depth = 1; depth < names.length; depth++) steps.push({ ...whole, path: names.slice(0, depth) })
    steps.push({ ...whole, path: names.slice(0, -1), put: Object.fromEntries([[last, value]]) })
  }
  return steps
}

const whole: DocumentStep = { path: [], gone: [], put: {}, isStrict: true }

/** Returns a value with a step made; undefined if something else than an object is in the way. */
function withStep(value: unknown, step: DocumentStep, depth: number): ItemData | undefined {
  const { path, gone, put, isStrict } = step
  if (isStrict && value !== null && value !== undefined && !isRecord(value)) return undefined
  const members = new Map(Object.entries(isRecord(value) ? value : {}))
  const name = path[depth]
  if (name !== undefined) {
    const inside = withStep(members.get(name), step, depth + 1)
    if (!inside) return undefined
    members.set(name, inside)
  } else {
    for (const one of gone) members.delete(one)
    for (const [one, inside] of Object.entries(put)) members.set(one, inside)
  }
  return Object.fromEntries(members)
}

/** Returns what a change makes of a stored document, as its field stores it. Null counts as an object without members. */
export function documentAfter(field: ScalarField, stored: unknown, { steps }: DocumentChange): StoredRead {
  let document: unknown = stored ?? {}
  for (const step of steps) document = document && withStep(document, step, 0)
  if (!isRecord(document)) return noObject
  return field.schema ? readStored(field, document) : accepted(document)
}

const noObject: StoredRead = {
  kind: 'mistake',
  code: 'FAILED_VALIDATION',
  type: 'object',
  says: 'holds something else than an object in the place that is to be changed',
}
