import type { Dialect } from '../dialects/dialect.ts'
import type { Children, Predicate, Some, Test } from '../plan/filter/predicate.ts'
import { conjunctsOf, partsOf } from '../plan/walk.ts'
import { keyFieldsOf } from '../schema/model.ts'
import type { Family } from '../types/families.ts'

/** Tests turn it off, to compare with EXISTS. */
export const starting = { isAtIndex: true }

/** True if an index finds the children that meet a condition, and so the keys of their items, faster than the children of each item. */
export function startsAtIndex({ children, condition }: Some, dialect: Dialect): boolean {
  if (!starting.isAtIndex || children.foreign.kind !== 'm2o' || namesOwner(condition)) return false
  return isFound(condition, dialect) || isNamedFar(condition, children, dialect)
}

/** True if a condition on the rows of a junction demands a text of the item behind them. Such items are few beside the rows of a junction, whose
 *  index finds those of each, so that reading all of them costs less than looking behind each row. */
function isNamedFar(condition: Predicate, { owner, name }: Children, dialect: Dialect): boolean {
  const relation = owner.fields.get(name ?? '')
  if (relation?.kind !== 'm2m') return false
  return conjunctsOf(condition).some(
    (part) =>
      part.kind === 'one' &&
      part.field.name === relation.far.name &&
      conjunctsOf(part.condition).some((test) => demandsText(test, dialect)),
  )
}

const demandsText = (part: Predicate, dialect: Dialect): boolean =>
  part.kind === 'test' &&
  isEquality(part) &&
  part.subject.kind === 'field' &&
  texts.has(part.subject.type.family) &&
  dialect.startsAtIndex?.(part.subject.type) === true

const texts: ReadonlySet<Family> = new Set(['text', 'uuid'])

function isFound(predicate: Predicate, dialect: Dialect): boolean {
  switch (predicate.kind) {
    case 'and':
      return predicate.parts.some((part) => isFound(part, dialect))
    case 'test':
      return isEquality(predicate) && hasIndex(predicate, dialect)
    case 'one':
      return isFound(predicate.condition, dialect)
    case 'some':
      return startsAtIndex(predicate, dialect)
    default:
      return false
  }
}

const isEquality = ({ operator, operand }: Test): boolean =>
  operand.kind !== 'field' && (operator === '_eq' || operator === '_in')

/** Many-to-one fields count as indexed: without an index, children are found slowly from both ends. */
function hasIndex({ subject }: Test, dialect: Dialect): boolean {
  if (subject.kind === 'tuple') return true
  if (subject.kind !== 'field' || dialect.startsAtIndex?.(subject.type) !== true) return false
  const { field } = subject
  if (field.kind !== 'scalar') return field.kind === 'm2o'
  return field.isIndexed || keyFieldsOf(field.collection)[0] === field
}

/** True if a condition on children is also one on their item. */
const namesOwner = (predicate: Predicate): boolean =>
  predicate.kind === 'owner' ||
  (predicate.kind !== 'some' && predicate.kind !== 'none' && partsOf(predicate).some(namesOwner))
