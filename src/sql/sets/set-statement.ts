// Rows of a list for many value sets at once: the operands of its conditions come out of a table with a row for each set.
import type { SetValue, ValueSets } from '../../dialects/phrase-types.ts'
import { type DeferredValue, type Sql, sql, withDeferred } from '../../dialects/sql.ts'
import { isAlways, type Test } from '../../plan/filter/predicate.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { Collection } from '../../schema/model.ts'
import { filterSql } from '../filter.ts'
import { type Frame, homeOf, type Setting, tableName } from '../frame.ts'
import { itemOf } from '../item-rows.ts'
import { membersOf, rootFrame } from '../page/chosen-root.ts'
import { rowsWhere } from '../page/pagination.ts'
import type { Recipe } from '../recipe.ts'
import { SelectList } from '../select-list.ts'
import { finished, type Statement, slotOf } from '../statement.ts'
import { partlyShown, type View } from '../view.ts'

export interface SetStatement extends Statement {
  readonly recipe: Recipe
  /** The cell with the number of the set. */
  readonly setAt: number
  /** The number of cells with nested rows as text. */
  readonly texts: number
  /** The operands for which each set has a value. */
  readonly values: readonly DeferredValue[]
}

/** The test and the rules under which a list is read. */
interface SetsOf {
  /** The test whose operand is the same for all sets. */
  readonly keys: Test
  /** Returns what is seen of a collection. Absent = everything. */
  readonly viewOf?: ((collection: Collection) => View | undefined) | undefined
}

/** The value sets of a statement among its bound values. */
export const openSets = { name: 'value sets' }

/** Returns the statement for the rows of a list. Undefined if one of its operands cannot come out of a table. */
export function setStatement(list: ListPlan, setting: Setting, of: SetsOf): SetStatement | undefined {
  const { dialect } = setting
  const root = rootFrame(list, setting)
  // A view that is joined would be a subselect of this FROM, which cannot use the sets beside it: so nothing is joined, and the view of the
  // root is a part of the condition.
  const view = of.viewOf?.(list.collection)
  const frame: Frame = view ? seenFrame(root, view) : root
  const rules = view && !isAlways(view.rows) ? filterSql(view.rows, tableOf(frame, view)) : undefined
  const cells = new SelectList('column')
  const recipe = itemOf(membersOf(list), frame, cells, { probe: 0 })
  const selected = cells.columns(dialect)
  const where = rowsWhere(list, frame, rules)
  const joined = frame.joins?.text ?? sql``
  const values = operandsIn(sql`${selected}${joined}${where}`, of.keys)
  if (!values) return undefined
  const examples = values.map((value) => value.valueFor(value.answer))
  const table = dialect.valueSets?.(
    values.map((value, at) => setValueOf(value, examples[at], setting, of)),
    frame.aliases.next(),
    slotOf(openSets, [examples], (sets: ValueSets) => sets, []),
  )
  if (!table) return undefined
  const setAt = cells.length
  const name = dialect.identifier(String(setAt))
  const own = sql`${tableName(list.collection, dialect)} as ${frame.alias}`
  const rows = sql`select ${selected}, ${table.place} as ${name} from ${own} cross join ${table.from}${joined}${where}`
  const places = new Map(values.map((value, at) => [value, table.values[at]]))
  const whole = withDeferred(rows, (value) => places.get(value) ?? sql.val(value))
  return { ...finished(whole, setting), recipe, setAt, texts: cells.texts.length, values }
}

const seenFrame = (root: Frame, view: View): Frame => {
  const frame = { ...root, joins: undefined }
  return { ...frame, columns: new SeenColumns(view, frame) }
}

/** The frame of the table without rules, as rules themselves read it. */
function tableOf(frame: Frame, { of }: View): Frame {
  const { rowsOf: _seen, ...setting } = frame.setting
  return { ...frame, setting, collection: of, columns: new Map() }
}

/** Columns of which some are visible on some rows only. Columns that the query does not read have no condition in the statement. */
class SeenColumns extends Map<string, Sql> {
  readonly #view: View
  readonly #frame: Frame

  constructor(view: View, frame: Frame) {
    super()
    this.#view = view
    this.#frame = frame
  }

  override get(name: string): Sql | undefined {
    const known = super.get(name)
    const part = known ? undefined : this.#view.partly.find((one) => one.name === name)
    if (!part) return known
    const shown = partlyShown(part, tableOf(this.#frame, this.#view))
    this.set(name, shown)
    return shown
  }
}

/** The operands in a piece, each once. Undefined if there are geometries among them. */
function operandsIn(piece: Sql, keys: Test): readonly DeferredValue[] | undefined {
  const found = new Set<DeferredValue>()
  withDeferred(piece, (value) => {
    const test = testOf(value)
    if (test && test !== keys) found.add(value)
    return sql.val(value)
  })
  const all = [...found]
  return all.some((value) => testOf(value)?.subject.type.family === 'geometry') ? undefined : all
}

/** The test whose operand a value is. Nothing else that is open has an operator. */
const testOf = ({ openValue }: DeferredValue): Test | undefined =>
  'operator' in openValue ? (openValue as Test) : undefined

function setValueOf(
  value: DeferredValue,
  example: unknown,
  setting: Setting,
  { keys, viewOf }: SetsOf,
): SetValue {
  const { subject, operand } = testOf(value) ?? keys
  const about = {
    type: subject.type,
    isList: operand.kind === 'values',
    isPattern: operand.kind === 'text',
    byCodePoint: setting.byCodePoint,
    example,
  }
  if (subject.kind !== 'field') return about
  const { field } = subject
  // A column that only some rows show has another name in a view than in its table.
  const shown = viewOf?.(field.collection)?.partly.find(({ name }) => name === field.column)
  return { ...about, home: homeOf({ ...field, column: shown?.column ?? field.column }, setting.dialect) }
}
