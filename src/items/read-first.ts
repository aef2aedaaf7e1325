import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { executeSoon } from '../execution/execute.ts'
import { checkNestedRows, needsRowCheck } from '../prepared/check-nested-rows.ts'
import { filledOf, type PreparedRead } from '../prepared/prepare.ts'
import type { Row } from '../rows/row.ts'

/** Returns the first item of a request, without a promise if the database responds synchronously; undefined if there is none. */
export function readFirst(engine: EngineInternals, prepared: PreparedRead, options: Options): unknown {
  if (needsRowCheck(prepared))
    return checkNestedRows(engine, prepared, options).then(() => firstRow(engine, prepared, options))
  return firstRow(engine, prepared, options)
}

function firstRow(engine: EngineInternals, prepared: PreparedRead, options: Options): unknown {
  const { rows } = prepared.template
  const first = ([row]: readonly Row[]) => row && rows.mapper()(row, undefined)
  const found = executeSoon(engine, filledOf(prepared, rows), options)
  return found instanceof Promise ? found.then(first) : first(found)
}
