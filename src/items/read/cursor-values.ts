// Values that cursors have no room for, read from their rows before the list is: so a page is read by one statement, whatever its cursor holds.
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError, type Path } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { cursorMember } from '../../plan/read/cursor.ts'
import { nestedLists } from '../../plan/read/nested-lists.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { SelectionTree } from '../../plan/read/selection-tree.ts'
import { planRequest } from '../../prepared/plan-request.ts'
import { bindStatement, noBoundValues } from '../../prepared/templates/template.ts'
import { type CursorPlace, placeIn } from '../../query/cursor.ts'
import { parseTyped } from '../../query/parse.ts'
import { cursorRow } from '../../sql/cursor-row.ts'
import { isRecord } from '../../values/guards.ts'
import { cursorValues, listRequest } from './read-request.ts'

export interface CursorRead<Query> {
  readonly collection: string
  readonly query: Query
  readonly tree?: SelectionTree | undefined
}

/** A cursor without some of its values, and the level that has it. */
interface OpenCursor {
  readonly token: string
  readonly place: CursorPlace
  readonly path: Path
}

export const needsCursorValues = (query: unknown): boolean => isRecord(query) && openCursors(query).length > 0

/** Returns a query whose cursors have all of their values. One whose row is gone, or hidden, is refused where it is planned. */
export async function withCursorValues<Query extends object | undefined>(
  engine: EngineInternals,
  { collection, query, tree }: CursorRead<Query>,
): Promise<Query> {
  if (!isRecord(query) || !needsCursorValues(query)) return query
  const reader = engine.reading()
  // What is read has an end, which an object given by the host need not have.
  const parsed = parseTyped(query, reader.limits)
  const request = { ...listRequest(reader, collection, withoutCursors({ ...parsed }), 'list'), tree }
  const { list } = planRequest(request, reader)
  const lists = [list, ...nestedLists(list).map((below) => below.list)]
  const setting = reader.rowsAt ? { ...reader, rowsOf: reader.rowsAt(request.circumstances) } : reader
  const values = new Map<string, readonly (string | null)[]>()
  for (const { token, place, path } of openCursors(query)) {
    const level = lists.find((one) => one.page.path.join() === path.join())
    const row = level && rowOf(level, place, setting)
    const [found] = row ? await execute(reader, bindStatement(row, noBoundValues), {}) : []
    if (found)
      values.set(
        token,
        place.values.map((_, at) => found[at] as string | null),
      ) // selected so
  }
  const known = { ...query }
  cursorValues.set(known, values)
  return known
}

function rowOf(list: ListPlan, { values }: CursorPlace, setting: EngineInternals) {
  const member = cursorMember(list, {}, [])
  if (isEngineError(member) || values.length !== member.order.length) return undefined
  return cursorRow(list, member, values, setting)
}

function openCursors(query: Readonly<Record<string, unknown>>): readonly OpenCursor[] {
  const found: OpenCursor[] = []
  let left = maxLevels
  add(query.after ?? query.before, [])
  if (isRecord(query.deep)) walk(query.deep, ['deep'])
  return found

  function walk(level: Readonly<Record<string, unknown>>, path: Path): void {
    add(level._after ?? level._before, path)
    for (const [name, below] of Object.entries(level))
      if (!name.startsWith('_') && isRecord(below) && left-- > 0) walk(below, [...path, name])
  }

  function add(token: unknown, path: Path): void {
    const place = typeof token === 'string' ? placeIn(token) : undefined
    if (place?.values.includes(undefined)) found.push({ token: String(token), place, path })
  }
}

/** Levels that are looked at: an object that holds itself twice would double with each. */
const maxLevels = 1_000

/** Returns a query without its cursors, of which the order of its lists does not depend. */
function withoutCursors(level: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = Object.entries(level).filter(([name]) => !/^_?(?:after|before)$/.test(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      isRecord(value) && !/^_?filter$/.test(name) ? withoutCursors(value) : value,
    ]),
  )
}
