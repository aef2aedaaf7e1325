// The validation of a permission rule, checked on a whole row as it is after a write: stored values count as
// much as given ones.
import { type EngineError, fault, type Path, unreachable } from '../../errors/errors.ts'
import type { FilterNode } from '../../query/query.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { hasVariable } from '../../vocabulary/variables.ts'
import { nameIn } from '../field-path.ts'
import { fieldsTouched, ownFields, predicateTouches, type Touch, testTouches } from '../touches.ts'
import { leavesOf, stepInto } from '../walk.ts'
import type { ItemData } from '../write/changes.ts'
import {
  failedTests,
  isPlain,
  needsDatabase,
  predicateOf,
  type ValidationContext,
  withKeys,
} from '../write/validate-item.ts'
import { holds } from './evaluate.ts'
import type { Predicate, Test } from './predicate.ts'

export interface RowValidation {
  readonly predicate: Predicate
  /** The fields of the row that it uses, by itself or through others. */
  readonly fields: ReadonlySet<StoredField>
  /** The names of the to-many relations that it uses. */
  readonly relations: ReadonlySet<string>
  /** True if it depends on the caller or the time. */
  readonly isVariable: boolean
  /** True if it uses values computed by the database. */
  readonly isComputed: boolean
  /** True if it uses other rows, or values computed by the database. */
  readonly needsDatabase: boolean
}

export function rowValidation(
  collection: Collection,
  node: FilterNode,
  context: ValidationContext,
  path: Path = [],
): RowValidation {
  const predicate = predicateOf(collection, node, context, path)
  const touched = ownTouches(predicate)
  // Relations may lead back to the row, or to others of its table.
  const further = predicateTouches(predicate).flatMap(fieldsTouched)
  const fields = new Set([
    ...touched.flatMap(ownFields),
    ...further.filter((field) => field.collection === collection),
  ])
  const isComputed = [...fields].some((field) => field.kind === 'scalar' && field.isGenerated)
  return {
    predicate,
    fields,
    relations: new Set(touched.flatMap(relationNames)),
    isVariable: hasVariable(node),
    isComputed,
    needsDatabase: needsDatabase(predicate) || isComputed,
  }
}

/** Returns what a predicate names of the row itself. */
export function ownTouches(predicate: Predicate): readonly Touch[] {
  return leavesOf(predicate).flatMap((leaf) => {
    if (leaf.kind === 'test') {
      const { operand } = leaf
      const touches = testTouches(leaf)
      // Behind the first relation, they are of others.
      return operand.kind === 'field' ? touches.slice(0, touches.length - operand.route.length) : touches
    }
    if (leaf.kind === 'owner') throw unreachable('a condition on an owner outside of its children')
    return [stepInto(leaf), ...leavesOf(leaf.condition).flatMap(ofOwner)]
  })
}

/** Returns what a condition on its children names of the row. */
const ofOwner = (leaf: Predicate): readonly Touch[] =>
  leaf.kind === 'owner' ? ownTouches(leaf.condition) : []

const relationNames = (touch: Touch): readonly string[] =>
  touch.kind === 'children' && touch.children.name !== undefined ? [touch.children.name] : []

/** The disclosure of a failed row of a collection: `isKnown` is true for fields the caller may know, `payload` has the caller's values. */
export interface Disclosure {
  readonly collection: Collection
  readonly path: Path
  readonly payload: ItemData
  readonly isKnown: (name: string) => boolean
  /** Receives failures that may not be disclosed. */
  readonly hide: (failure: EngineError) => void
}

/** The failures of a row that its writer may see; empty if it passes. */
export function validateRow(
  { predicate, fields }: RowValidation,
  row: ItemData,
  disclosure: Disclosure,
  { setting }: ValidationContext,
): readonly EngineError[] {
  const { collection } = disclosure
  const absent = Object.fromEntries([...fields].map(({ name }) => [name, null]))
  const completed = { ...absent, ...withKeys(collection, row) }
  if (holds(predicate, completed, setting)) return []
  const failures = failedTests(predicate, completed, setting).flatMap((test) => failureOf(test, disclosure))
  const reported = failures.filter(({ extensions: { field } }) => disclosure.isKnown(String(field)))
  for (const failure of failures) if (!reported.includes(failure)) disclosure.hide(failure)
  return reported.length > 0 ? reported : [notMeeting(collection, disclosure.path)]
}

/** Neither the operand, which belongs to the rule, nor the stored value, which may be hidden, is disclosed. */
function failureOf(
  { subject, operator }: Test,
  { collection, path, payload }: Disclosure,
): readonly EngineError[] {
  const name = nameIn(subject)
  if (name === undefined) return []
  const { [name]: value } = payload
  return [
    fault('FAILED_VALIDATION', `"${name}" of "${collection.name}" does not pass "${operator}".`, {
      path: [...path, name],
      extensions: {
        collection: collection.name,
        field: name,
        type: operator.slice(1),
        ...(isPlain(value) && { invalid: value }),
      },
    }),
  ]
}

/** An error for a row where no field can be named. */
export const notMeeting = ({ name }: Collection, path: Path): EngineError =>
  fault('FAILED_VALIDATION', `The item of "${name}" does not meet your rules.`, {
    path,
    extensions: { collection: name, type: 'validation' },
  })
