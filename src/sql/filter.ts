// Predicates, and the values that they compare. Both are in one file: an aggregate of related items is a value that holds a condition.
import { signs } from '../dialects/comparison-signs.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { Column, Reading } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { type Path, unreachable } from '../errors/errors.ts'
import { holdsWithout } from '../plan/filter/evaluate.ts'
import { usableFamily } from '../plan/filter/function-call.ts'
import {
  type AggregatedValue,
  type Arm,
  type BoundRelation,
  type Children,
  type ComparedValue,
  type FieldOperand,
  isAlways,
  type None,
  type OneRelated,
  type Predicate,
  type RelatedValue,
  type Some,
  type Test,
} from '../plan/filter/predicate.ts'
import { relationCondition } from '../plan/filter/relation-condition.ts'
import { type ManyToOne, partsOf } from '../schema/model.ts'
import { countType } from '../schema/stored-fields.ts'
import { isTemporal } from '../types/families.ts'
import { type AggregateName, aggregates } from '../vocabulary/aggregates.ts'
import type { AnyOperator } from '../vocabulary/operator.ts'
import { operators } from '../vocabulary/operators.ts'
import { armTie, linkOf, pointersIn } from './child-joins.ts'
import { computed, fieldBehind, plainColumn } from './column.ts'
import {
  areEqual,
  columnOf,
  type Frame,
  innerFrame,
  keyColumns,
  keyOf,
  referencedColumns,
  refersTo,
  tableName,
  tableOf,
  wholeName,
} from './frame.ts'
import { operandSql, refuseWithoutGeometry } from './operand.ts'
import { startsAtIndex } from './starts-at-index.ts'
import { phrasesOf } from './tuple.ts'

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
  if (test.operand.kind === 'field') return fieldsSql(test, test.operand, frame)
  const column = operandColumn(test.subject, comparedColumn(test.subject, frame, test.path))
  refuseWithoutGeometry(test, frame)
  const row: AnyOperator = operators[test.operator]
  const phrases = phrasesOf(column, frame.setting.dialect)
  // An operator's row and the operand read for it always belong together; the compiler cannot follow that
  // through the table.
  return row.sql(phrases, column, operandSql(test, column, frame) as never)
}

/** Compares two columns in the form in which equal values are the same. */
function fieldsSql({ subject, operator, path }: Test, operand: FieldOperand, frame: Frame): Sql {
  const { dialect } = frame.setting
  const column = comparedColumn(subject, frame, path)
  const other = fieldBehind(operand, frame, path)
  const { family, storage } = column.type
  // Of one moment a column may hold a number, and another one a text.
  const isText = storage !== other.type.storage && (isTemporal(family) || family === 'uuid')
  const shown = (one: Column) => {
    const { sql: text, type } = dialect.shown(one)
    return isText ? dialect.keyAsText(text, type) : text
  }
  const compare: Dialect['compare'] = (_column, sign) =>
    family === 'decimal'
      ? dialect.compare(dialect.shown(column), sign, () => shown(other))
      : sql`${shown(column)} ${signs[sign]} ${shown(other)}`
  const presence = sql`(${dialect.isPresent(column)} and ${dialect.isPresent(other)})`
  const row: AnyOperator = operators[operator]
  // It takes no value, since what it is compared with is known to the phrase.
  return row.sql({ ...dialect, compare }, { ...column, presence }, { reach: 'within' } as never)
}

/** The value of a test: an aggregate may have another type for operands than the database makes it of. */
function operandColumn({ kind, type }: ComparedValue, column: Column): Column {
  if ((kind !== 'related' && kind !== 'aggregate') || column.type.family === type.family) return column
  return { ...column, type: { ...column.type, type: type.type, family: type.family } }
}

export function comparedColumn(subject: ComparedValue, frame: Frame, path: Path): Column {
  if (subject.kind === 'related') return relatedAggregate(subject, frame, path)
  return subject.kind === 'aggregate' ? aggregateOf(subject, frame, path) : plainColumn(subject, frame, path)
}

/** An aggregate of the rows of a group. */
export function aggregateColumn(
  name: AggregateName,
  of: ComparedValue | undefined,
  frame: Frame,
  path: Path,
): Column {
  if (!of) return computed(sql`count(*)`, countType, frame)
  const column = comparedColumn(of, frame, path)
  return aggregates[name].of(phrasesOf(column, frame.setting.dialect), column)
}

/** Nothing of the aggregated column is left but the type. */
function aggregateOf({ name, of }: AggregatedValue | RelatedValue, frame: Frame, path: Path): Column {
  const { sql: value, type } = aggregateColumn(name, of, frame, path)
  return computed(value, type, frame)
}

/** The reading of a value in a select list. A concealed value leaves the database as a mask. */
export function readingOf(subject: ComparedValue, frame: Frame, path: Path): Reading {
  const column = comparedColumn(subject, frame, path)
  const isMasked = usableFamily(subject) === 'hash'
  return phrasesOf(column, frame.setting.dialect).reading(
    isMasked ? { ...column, type: { ...column.type, family: 'hash', isArray: false } } : column,
  )
}

/** An aggregate of children, in a subselect. Without a row their number is null, which is not the same as zero. */
function relatedAggregate(subject: RelatedValue, frame: Frame, path: Path): Column {
  const { children, condition } = subject
  const inner = { ...innerFrame(frame, children.target), owner: frame }
  const { sql: value, ...column } = aggregateOf(subject, inner, path)
  const rest = isAlways(condition) ? sql`` : sql` and ${filterSql(condition, inner)}`
  const made = sql`(select ${value} from ${tableOf(inner)}${inner.joins.text} where ${tieOf(children, inner, frame)}${rest})`
  const isSure = !frame.isOptional || subject.of !== undefined
  return { ...column, sql: isSure ? made : sql`case when ${keyOf(frame)} is not null then ${made} end` }
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

function armSql({ field, target, within, condition }: Arm, frame: Frame): Sql {
  const inner = innerFrame(frame, target)
  const matches = filterSql(condition, inner)
  const rest = isAlways(condition) ? sql`` : sql` and ${matches}`
  return sql`exists (select 1 from ${tableOf(inner)}${inner.joins.text} where ${armTie(field, inner, frame)}${withinSql(within, inner)}${rest})`
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
  return sql`${rowOf(referencedColumns(foreign, frame))} in (select ${sql.join(keys, sql`, `)} from ${tableOf(inner)}${joined}${inner.joins.text} where ${matches}${withinSql(children.within, inner)})${shownOn(children, frame)}`
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
  return sql`(select 1 from ${tableOf(inner)}${inner.joins.text} where ${tieOf(children, inner, frame)}${rest})`
}

/** The condition that joins the children of a relation to their item. */
export const tieOf = (children: Children, inner: Frame, parent: Frame): Sql =>
  sql`${linkOf(children, inner, parent)}${shownOn(children, parent)}${withinSql(children.within, children.foreign.kind === 'any' ? parent : inner)}`

/** The condition that a row shows a relation, where rules show it on some rows only. */
const shownOn = ({ within }: Children, parent: Frame): Sql =>
  within?.shownBy ? sql` and ${columnOf(parent, within.shownBy.column)} is not null` : sql``

/** The condition of a relation, on whole rows: of a view that hides a field on some of them, the row is looked up. */
export function withinSql(within: BoundRelation | undefined, inner: Frame): Sql {
  if (!within) return sql``
  const { rowsOf: _seen, ...setting } = inner.setting
  const condition = relationCondition(within)
  const whole = { ...inner, setting, collection: within.of, joins: undefined, owner: undefined }
  const { partly, key } = inner.collection
  if (!partly?.size) return sql` and ${filterSql(condition, whole)}`
  if (!key) {
    const { dialect } = setting
    const columns = [...partly.values()].map(
      ({ column }, at) => [column, sql`${inner.alias}.${dialect.identifier(wholeName(at))}`] as const,
    )
    return sql` and ${filterSql(condition, { ...whole, columns: new Map(columns) })}`
  }
  const row = innerFrame(whole, within.of)
  const keys = areEqual(keyColumns(row), keyColumns(inner))
  return sql` and exists (select 1 from ${tableOf(row)} where ${keys} and ${filterSql(condition, { ...row, joins: undefined })})`
}
