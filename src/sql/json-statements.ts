import type { Dialect } from '../dialects/dialect.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import type { ListPlan, Member } from '../plan/read/read-plan.ts'
import { cutText, maxOfEach } from './cut-text.ts'
import type { Setting } from './frame.ts'
import { probeOf, type RowChoice } from './item-rows.ts'
import { membersText } from './json-text.ts'
import { chosenAhead, membersOf, selectFrom } from './page/chosen-root.ts'
import type { KeysetPosition } from './page/keyset.ts'
import { finished, type Statement } from './statement.ts'

export interface TextStatement extends Statement {
  /** True if one row has the whole list; else each row has an item. */
  readonly isOneRow: boolean
  /** The cells that hold a mark where an item is too long. */
  readonly cuts: readonly number[]
  /** The row limit; longer lists are faster as rows. */
  readonly maxRows: number
}

interface TextBounds {
  /** The items begin behind this position. */
  readonly after?: KeysetPosition | undefined
  /** A whole list of more bytes is null, and an item with more than its share of them is the mark of what is cut. Absent = any number. */
  readonly maxBytes?: number
}

/** The items of a list as JSON text. Undefined if the database cannot write one of their members. */
export function textStatement(
  list: ListPlan,
  setting: Setting,
  choice: RowChoice,
  { after, maxBytes = Number.POSITIVE_INFINITY }: TextBounds = {},
): TextStatement | undefined {
  if (list.rows.kind === 'groups') return undefined
  const { dialect } = setting
  const chosen = chosenAhead(list, setting, choice, after)
  const members = membersText(membersOf(list), chosen.frame)
  if (!members) return undefined
  const isFlat = membersOf(list).every(hasNoList)
  const maxRows = (isFlat ? dialect.mostRowsAsText : undefined) ?? Number.POSITIVE_INFINITY
  const column = (json: Sql) => sql`${dialect.jsonText(json)} as ${dialect.identifier('0')}`
  // If an extra row may have to be removed, the rows stay separate.
  if (probeOf(list, choice) > 0) {
    const json = dialect.jsonText(dialect.jsonObject(members))
    const max = { bytes: maxBytes, of: 'all' } as const
    const item =
      maxBytes === Number.POSITIVE_INFINITY
        ? json
        : cutText(
            json,
            maxOfEach(max, list.page, setting, () => 1),
            dialect,
          )
    const text = selectFrom(sql`${item} as ${dialect.identifier('0')}`, chosen, setting)
    return { ...finished(text, setting), isOneRow: false, cuts: [0], maxRows }
  }
  const whole = dialect.jsonItems({ members, from: chosen.from(), order: chosen.order() })
  const text =
    maxBytes === Number.POSITIVE_INFINITY
      ? sql`select ${column(whole)}`
      : within(column(whole), maxBytes, dialect)
  return { ...finished(text, setting), isOneRow: true, cuts: [], maxRows }
}

/** Selects a text in the place of one that is too long. The limit keeps databases from computing the text once for its length and once more. */
function within(column: Sql, maxBytes: number, dialect: Dialect): Sql {
  const name = dialect.identifier('0')
  return sql`select case when ${dialect.byteLength(name)} <= ${dialect.byteCount(maxBytes)} then ${name} end as ${name} from (select ${column}${dialect.page(sql`1`, undefined)}) as ${dialect.identifier('_q0')}`
}

const hasNoList = (member: Member): boolean =>
  member.kind === 'value' ||
  member.kind === 'constant' ||
  ((member.kind === 'one' || member.kind === 'group') && member.members.every(hasNoList))
