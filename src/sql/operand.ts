// Operands of tests, bound to the slots of a statement.
import type { Column } from '../dialects/phrase-types.ts'
import { fault, unreachable } from '../errors/errors.ts'
import type { Test, TestOperand } from '../plan/filter/predicate.ts'
import type { Operand } from '../types/family-row.ts'
import type { Bound } from '../vocabulary/operator.ts'
import type { Frame } from './frame.ts'
import { constantOf, slotOf } from './statement.ts'
import { reachOf } from './tuple.ts'

export function operandSql(test: Test, column: Column, frame: Frame): unknown {
  const { operand } = test
  const slot = <Value>(pick: (answer: TestOperand) => Value) =>
    test.isFixed
      ? constantOf(pick(operand), test.path)
      : slotOf<TestOperand, Value>(test, operand, pick, test.path)
  const bound = (value: Operand, pick: (answer: TestOperand) => Operand): Bound<Operand> => ({
    slot: slot(pick),
    reach: reachOf(column.type, value, frame.setting.dialect),
  })
  switch (operand.kind) {
    case 'value':
      return bound(
        operand.value,
        ofKind('value', ({ value }) => value),
      )
    case 'values':
      return slot(ofKind('values', ({ values }) => values))
    case 'pair': {
      const low = bound(
        operand.low,
        ofKind('pair', (pair) => pair.low),
      )
      return [
        low,
        bound(
          operand.high,
          ofKind('pair', (pair) => pair.high),
        ),
      ]
    }
    case 'text':
      return slot(ofKind('text', ({ text }) => text))
    case 'geometry':
      return slot(ofKind('geometry', ({ geometry }) => geometry))
    case 'flag':
      return undefined
    case 'pattern':
    case 'field':
      throw unreachable(`an operand of kind ${operand.kind} reached SQL`)
    default:
      throw unreachable(`an operand of kind ${String(operand satisfies never)}`)
  }
}

/** Picks a value of an operand. The operand of a later request has the same kind as the first: its shape is the same. */
function ofKind<Kind extends TestOperand['kind'], Value>(
  kind: Kind,
  pick: (operand: Extract<TestOperand, { kind: Kind }>) => Value,
) {
  const isOfKind = (operand: TestOperand): operand is Extract<TestOperand, { kind: Kind }> =>
    operand.kind === kind
  return (operand: TestOperand): Value => {
    if (isOfKind(operand)) return pick(operand)
    throw unreachable(`an operand of kind ${operand.kind} where ${kind} was asked`)
  }
}

/** Refuses geometry operators without the functions for them. Presence can always be tested; comparing takes
 *  more than plain SQLite has. */
export function refuseWithoutGeometry({ subject, operand, operator, path }: Test, { setting }: Frame): void {
  if (subject.type.family !== 'geometry' || operand.kind === 'flag' || setting.dialect.geo) return
  const hint = 'Open the database with quernel/sqlite, which brings them.'
  throw fault('INVALID_QUERY', `"${operator}" needs geometry functions, and this database has none.`, {
    path,
    hint,
  })
}
