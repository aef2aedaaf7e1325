import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { executeSoon } from '../execution/execute.ts'
import { checkNestedRows, needsRowCheck } from '../prepared/check-nested-rows.ts'
import { filledOf, type PreparedRead } from '../prepared/prepare.ts'

/** Returns the first item of a request; undefined if there is none. */
export async function readFirst(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
): Promise<unknown> {
  if (needsRowCheck(prepared)) await checkNestedRows(engine, prepared, options)
  const { rows } = prepared.template
  const found = executeSoon(engine, filledOf(prepared, rows), options)
  const [row] = found instanceof Promise ? await found : found
  return row && rows.mapper()(row, undefined)
}
