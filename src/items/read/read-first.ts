import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { executeSoon } from '../../execution/execute.ts'
import { countAgain, countsItself } from '../../prepared/limits/check-nested-rows.ts'
import { checkResult, needsCheck } from '../../prepared/limits/check-result.ts'
import { filledOf, type PreparedRead } from '../../prepared/prepare.ts'
import { areCut, readWhole, rowsFor } from '../../prepared/streams/watched-rows.ts'
import type { Row } from '../../rows/row.ts'
import { rowsWithin } from './answer-length.ts'

/** Returns the first item of a request, without a promise if the database responds synchronously; undefined if there is none. */
export function readFirst(engine: EngineInternals, prepared: PreparedRead, options: Options): unknown {
  if (needsCheck(prepared, engine))
    return checkResult(engine, prepared, options).then((checked) => firstRow(engine, checked, options))
  return firstRow(engine, prepared, options)
}

function firstRow(engine: EngineInternals, prepared: PreparedRead, options: Options): unknown {
  const layout = rowsFor(prepared, engine)
  const first = (found: readonly Row[]) => {
    const [row] = rowsWithin(found, engine.limits)
    return row && layout.mapper()(row, undefined)
  }
  const arrived = (found: readonly Row[]): unknown => {
    if (found.length === 0 && countsItself(prepared))
      return countAgain(engine, prepared, options).then((counted) => firstRow(engine, counted, options))
    return areCut(found, layout) ? readWhole(engine, prepared, options).then(first) : first(found)
  }
  const found = executeSoon(engine, filledOf(prepared, layout), options)
  return found instanceof Promise ? found.then(arrived) : arrived(found)
}
