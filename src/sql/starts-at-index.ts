import type { Dialect } from '../dialects/dialect.ts'
import type { Predicate, Some, Test } from '../plan/filter/predicate.ts'
import { partsOf } from '../plan/walk.ts'
import { keyFieldsOf } from '../schema/model.ts'

/** Tests turn it off, to compare with EXISTS. */
export const starting = { isAtIndex: true }

/** True if an index finds the children that meet a condition, and so the keys of their items, faster than the children of each item. */
export function startsAtIndex({ children, condition }: Some, dialect: Dialect): boolean {
  const { foreign } = children
  return starting.isAtIndex && foreign.kind === 'm2o' && isFound(condition, dialect) && !namesOwner(condition)
}

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
