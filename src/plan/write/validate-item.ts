// Validates written items by the validation filters of a collection's fields.
import { type EngineError, fault, type Path } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { defaultLimits } from '../../query/limits.ts'
import type { FilterNode } from '../../query/query.ts'
import { readFilter } from '../../query/read-filter.ts'
import { newReader } from '../../query/reader.ts'
import { type Collection, isToMany, type Schema, type StoredField } from '../../schema/model.ts'
import { isForeign } from '../../types/other.ts'
import { isRecord } from '../../values/guards.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { fieldsIn, nameIn } from '../field-path.ts'
import { holds, type MemorySetting } from '../filter/evaluate.ts'
import { always, type ComparedValue, never, type Predicate, type Test } from '../filter/predicate.ts'
import { resolveFilter } from '../filter/resolve-filter.ts'
import { heldInItem } from '../key.ts'
import { leavesOf } from '../walk.ts'
import type { ItemData } from './changes.ts'
import { storedFieldsOf } from './defaults.ts'

interface Validation {
  readonly field: StoredField
  readonly node: FilterNode
}

const validations = new WeakMap<Collection, readonly Validation[]>()

export function validationsOf(collection: Collection): readonly Validation[] {
  const known = validations.get(collection)
  if (known) return known
  const found = storedFieldsOf(collection).flatMap((field): Validation[] =>
    field.validation === undefined
      ? []
      : [{ field, node: readFilter(field.validation, [], newReader(defaultLimits, false)) }],
  )
  validations.set(collection, found)
  return found
}

export const isValidated = (collection: Collection): boolean => validationsOf(collection).length > 0

export interface ValidationContext {
  readonly schema: Schema
  readonly circumstances: Circumstances
  readonly setting: MemorySetting
}

/** Returns the failures of an item. Conditions on fields that the payload does not name are skipped. */
export type Validate = (payload: ItemData, path: Path) => readonly EngineError[]

/** Returns a check of a collection's items. Its filters are resolved once, however many items there are. */
export function validatorOf(collection: Collection, context: ValidationContext): Validate {
  const all = validationsOf(collection).map((validation) => ({
    ...validation,
    predicate: inMemory(predicateOf(collection, validation.node, context)),
  }))
  if (all.length === 0) return () => []
  return (payload, path) => {
    const checked = withKeys(collection, payload)
    return all.flatMap(({ field, node, predicate }) => {
      if (isNever(predicate))
        return checked[field.name] === undefined ? [] : [notPassing(collection, [...path, field.name])]
      const filter = { collection, about: field.name, node }
      return failedTests(predicate, checked, context.setting).map((test) =>
        failure(filter, test, checked, path),
      )
    })
  }
}

export function validatorBy(collection: Collection, node: FilterNode, context: ValidationContext): Validate {
  const predicate = predicateOf(collection, node, context)
  if (isNever(predicate)) return (_input, path) => [notPassing(collection, path)]
  const filter = { collection, about: collection.name, node }
  return (payload, path) => {
    const checked = withKeys(collection, payload)
    return failedTests(predicate, checked, context.setting).map((test) =>
      failure(filter, test, checked, path),
    )
  }
}

/** The item with nested items replaced by their keys. One without a key yet becomes undefined. */
export function withKeys({ fields }: Collection, payload: ItemData): ItemData {
  const checked: Record<string, unknown> = { ...payload }
  for (const [name, value] of Object.entries(payload)) {
    const field = fields.get(name)
    if (!field || isToMany(field) || field.kind === 'scalar' || !isRecord(value)) continue
    checked[name] = field.kind === 'm2o' ? heldInItem(field, value) : undefined
  }
  return checked
}

export function predicateOf(
  collection: Collection,
  node: FilterNode,
  { schema, circumstances }: ValidationContext,
  path: Path = [],
) {
  const problems = new Problems('INVALID_QUERY')
  const predicate = resolveFilter(node, collection, path, {
    schema,
    circumstances,
    problems,
    use: 'validation',
  })
  // Every mistake in it was refused when the engine was made. If there is one all the same, nothing passes.
  return problems.isEmpty ? predicate : never
}

/** True if nothing can meet a filter: a variable in it has no value. */
export const isNever = (predicate: Predicate): boolean =>
  predicate.kind === 'or' && predicate.parts.length === 0

/** The tests that fail; if all branches of a disjunction fail, those of all of them. */
export function failedTests(
  predicate: Predicate,
  payload: ItemData,
  setting: MemorySetting,
): readonly Test[] {
  if (predicate.kind === 'and') return predicate.parts.flatMap((part) => failedTests(part, payload, setting))
  if (predicate.kind === 'or') {
    const branches = predicate.parts.map((part) => failedTests(part, payload, setting))
    return branches.some((failed) => failed.length === 0) ? [] : branches.flat()
  }
  if (predicate.kind !== 'test' || comparesOther(predicate) || !isAbout(predicate, payload)) return []
  return holds(predicate, payload, setting) ? [] : [predicate]
}

/** True if the payload names the field of a test. */
function isAbout({ subject }: Test, payload: ItemData): boolean {
  const names = [nameIn(subject), ...fieldsIn(subject).map((field) => field.name)]
  return names.some((name) => name !== undefined && payload[name] !== undefined)
}

export const needsDatabase = (predicate: Predicate): boolean =>
  leavesOf(predicate).some(
    (leaf) =>
      leaf.kind !== 'test' ||
      leaf.subject.kind === 'related' ||
      isOfOther(leaf.subject) ||
      comparesOther(leaf),
  )

/** True for a comparison with a field of another item. */
const comparesOther = ({ operand }: Test): boolean => operand.kind === 'field' && operand.route.length > 0

/** The part of a condition that memory can check: texts of a type that only the database knows may differ where their values are equal. */
function inMemory(predicate: Predicate): Predicate {
  if (predicate.kind === 'and' || predicate.kind === 'or')
    return { ...predicate, parts: predicate.parts.map(inMemory) }
  // The field with which another one is compared may be stored, and not written.
  const isLater =
    predicate.kind === 'test' && (isOfOther(predicate.subject) || predicate.operand.kind === 'field')
  return isLater ? always : predicate
}

const isOfOther = (subject: ComparedValue): boolean =>
  subject.kind === 'tuple'
    ? subject.field.parts.some(({ value }) => isForeign(value.family))
    : isForeign(subject.type.family)

/** An error where no single test can be named. */
export const notPassing = ({ name }: Collection, path: Path): EngineError =>
  fault('FAILED_VALIDATION', `An item of "${name}" does not pass its validation.`, {
    path,
    extensions: { collection: name, type: 'validation' },
  })

/** `about` is the field or collection of the filter, for tests without a field. */
function failure(
  { collection, about, node }: Readonly<{ collection: Collection; about: string; node: FilterNode }>,
  test: Test,
  payload: ItemData,
  path: Path,
): EngineError {
  const { subject, operator } = test
  const name = nameIn(subject) ?? about
  const type = operator.slice(1)
  const value = payload[name]
  const expected = operandAt(node, test.path)
  return fault('FAILED_VALIDATION', `"${name}" of "${collection.name}" does not pass "${operator}".`, {
    path: [...path, name],
    extensions: {
      collection: collection.name,
      field: name,
      type,
      ...(takesPiece.test(type)
        ? { substring: expected }
        : withoutOperand.has(type)
          ? {}
          : { valid: expected }),
      ...(isPlain(value) && { invalid: value }),
    },
  })
}

const takesPiece = /^n?i?(contains|starts_with|ends_with)$/
const withoutOperand: ReadonlySet<string> = new Set(['null', 'nnull', 'empty', 'nempty', 'regex'])

export const isPlain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function operandAt(node: FilterNode, path: Path): unknown {
  let found: unknown = node
  for (const step of path) {
    if (Array.isArray(found) && typeof step === 'number') found = found[step]
    else if (isRecord(found)) found = found[step]
  }
  return found
}
