import type { Column } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { fault, unreachable } from '../errors/errors.ts'
import { holdsWithout } from '../plan/filter/evaluate.ts'
import {
  type Arm,
  isAlways,
  type None,
  type OneRelated,
  type Predicate,
  type Some,
  type Test,
  type TestOperand,
} from '../plan/filter/predicate.ts'
import { type ManyToOne, partsOf } from '../schema/model.ts'
import type { Operand } from '../types/family-row.ts'
import type { AnyOperator, Bound } from '../vocabulary/operator.ts'
import { operators } from '../vocabulary/operators.ts'
import { armTie, linkOf, pointersIn } from './child-joins.ts'
import { comparedColumn } from './column.ts'
import { type Frame, innerFrame, keyOf, referencedColumns, refersTo, tableName, tableOf } from './frame.ts'
import { startsAtIndex } from './starts-at-index.ts'
import { slotOf } from './statement.ts'
import { phrasesOf, reachOf } from './tuple.ts'

/** Writes a predicate as SQL. Nothing in it can multiply rows: m2o is a join on a key, to-many is EXISTS, or IN where an index finds the
 *  children. */
export function filterSql(predicate: Predicate, frame: Frame): Sql {
  switch (predicate.kind) {
    case 'and':
      return joined(
        predicate.parts.map((part) => filterSql(part, frame)),
        sql` and `,
        sql`1 = 1`,
      )
    case 'or':
      return joined(
        predicate.parts.map((part) => filterSql(part, frame)),
        sql` or `,
        sql`1 = 0`,
      )
    case 'test':
      return testSql(predicate, frame)
    case 'one':
      return oneSql(predicate, frame)
    case 'arm':
      return armSql(predicate, frame)
    case 'some':
      return childKeysSql(predicate, frame) ?? sql`exists ${childrenSql(predicate, frame)}`
    case 'owner':
      if (!frame.owner) throw unreachable('a condition on the owner of no child')
      return filterSql(predicate.condition, frame.owner)
    case 'none':
      return sql`not exists ${childrenSql(predicate, frame)}`
    default:
      throw unreachable(`a predicate of kind ${String(predicate satisfies never)}`)
  }
}

/** A balanced tree: SQLite refuses expressions nested deeper than 1,000, and a plain chain of 1,000 is that deep. */
function joined(parts: readonly Sql[], word: Sql, empty: Sql): Sql {
  if (parts.length === 0) return empty
  if (parts.length <= shortChain) return sql`(${sql.join(parts, word)})`
  const middle = Math.ceil(parts.length / 2)
  return sql`(${joined(parts.slice(0, middle), word, empty)}${word}${joined(parts.slice(middle), word, empty)})`
}

const shortChain = 8

function testSql(test: Test, frame: Frame): Sql {
  const column = comparedColumn(test.subject, frame, test.path)
  refuseWithoutGeometry(test, frame)
  const row: AnyOperator = operators[test.operator]
  const phrases = phrasesOf(column, frame.setting.dialect)
  // An operator's row and the operand read for it always belong together; the compiler cannot follow that
  // through the table.
  return row.sql(phrases, column, operandSql(test, column, frame) as never)
}

function operandSql(test: Test, column: Column, frame: Frame): unknown {
  const { operand } = test
  const slot = <Value>(pick: (answer: TestOperand) => Value) =>
    slotOf<TestOperand, Value>(test, operand, pick, test.path)
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
      throw unreachable('a regular expression reached SQL')
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
function refuseWithoutGeometry({ subject, operand, operator, path }: Test, { setting }: Frame): void {
  if (subject.type.family !== 'geometry' || operand.kind === 'flag' || setting.dialect.geo) return
  const hint = 'Open the database with quernel/sqlite, which brings them.'
  throw fault('INVALID_QUERY', `"${operator}" needs geometry functions, and this database has none.`, {
    path,
    hint,
  })
}

function oneSql({ field, condition }: OneRelated, frame: Frame): Sql {
  const target = frame.joins?.to(frame, field)
  const needsTarget = !holdsWithout(condition, frame.setting.negationMatchesNull)
  if (target) {
    const matches = filterSql(condition, target)
    // It follows from the condition, but databases cannot infer that through their functions; with it, they may
    // begin with the target.
    return needsTarget ? sql`(${keyOf(target)} is not null and ${matches})` : matches
  }
  const inner = innerFrame(frame, field.target)
  const matches = filterSql(condition, inner)
  const met = sql`exists (select 1 from ${tableOf(inner)}${inner.joins.text} where ${refersTo(field, frame, inner)} and ${matches})`
  if (needsTarget) return met
  const any = innerFrame(frame, field.target)
  return sql`(${met} or not exists (select 1 from ${tableOf(any)} where ${refersTo(field, frame, any)}))`
}

function armSql({ field, target, condition }: Arm, frame: Frame): Sql {
  const inner = innerFrame(frame, target)
  const matches = filterSql(condition, inner)
  const rest = isAlways(condition) ? sql`` : sql` and ${matches}`
  return sql`exists (select 1 from ${tableOf(inner)}${inner.joins.text} where ${armTie(field, inner, frame)}${rest})`
}

/** Tests that the key of an item, or its other unique value, is among those that its children hold. Undefined where EXISTS is faster. */
function childKeysSql(some: Some, frame: Frame): Sql | undefined {
  const { children, condition } = some
  const { foreign } = children
  if (!frame.isOfMany || foreign.kind !== 'm2o' || !startsAtIndex(some, frame.setting.dialect))
    return undefined
  const inner = { ...innerFrame(frame, children.target), owner: frame }
  const matches = filterSql(condition, inner)
  const item = hasIntegerKey(foreign) ? undefined : itemBeside(inner, frame)
  const [keys, joined] = item
    ? [
        referencedColumns(foreign, item),
        sql` join ${tableName(item.collection, item.setting.dialect)} as ${item.alias} on ${linkOf(children, inner, item)}`,
      ]
    : [pointersIn(foreign, inner), sql``]
  return sql`${rowOf(referencedColumns(foreign, frame))} in (select ${sql.join(keys, sql`, `)} from ${tableOf(inner)}${joined}${inner.joins.text} where ${matches})`
}

/** IN compares by the collation of the item's key, and EXISTS by that of the child's column, which may differ: where a key has text, that
 *  of the item is looked up. */
const hasIntegerKey = (foreign: ManyToOne): boolean =>
  partsOf(foreign).every(({ value }) => value.family === 'integer')

const itemBeside = (inner: Frame, { collection, aliases }: Frame): Frame => ({
  ...inner,
  collection,
  alias: aliases.next(),
  columns: new Map(),
})

const rowOf = (columns: readonly Sql[]): Sql =>
  columns.length === 1 ? sql.join(columns, sql``) : sql`(${sql.join(columns, sql`, `)})`

function childrenSql({ children, condition }: Some | None, frame: Frame): Sql {
  const inner = { ...innerFrame(frame, children.target), owner: frame }
  const matches = filterSql(condition, inner)
  const rest = isAlways(condition) ? sql`` : sql` and ${matches}`
  return sql`(select 1 from ${tableOf(inner)}${inner.joins.text} where ${linkOf(children, inner, frame)}${rest})`
}
