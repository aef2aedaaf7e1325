// Reads JSON that the database writes, where it can: then its text is passed on as it is.

import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { isBeyondJson } from '../../execution/translate-errors.ts'
import { countAgain, countsItself } from '../../prepared/limits/check-nested-rows.ts'
import { checkResult, needsCheck } from '../../prepared/limits/check-result.ts'
import { filledOf, type PreparedRead, pageNow } from '../../prepared/prepare.ts'
import { areCut } from '../../prepared/streams/watched-rows.ts'
import type { TextStatement } from '../../sql/json-statements.ts'
import { type RowsAndCounts, readRowsAndCounts } from './rows-and-counts.ts'

/** The answer that is made of a text, and where the text comes from. */
interface TextRead<Answer> {
  /** True if numbers keep all their digits, which only the database's own text has. */
  readonly isExact: boolean | undefined
  /** True if the size of the answer was checked before. */
  readonly isChecked: boolean
  readonly ofText: (found: RowsAndCounts, text: TextStatement) => Answer
  /** Reads the rows, of which the JSON is written here. */
  readonly ofRows: () => Promise<Answer>
}

/** Reads a text, without a promise if the database responds synchronously. */
export function readText<Answer>(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
  read: TextRead<Answer>,
): Answer | Promise<Answer> {
  const { text, list } = prepared.template
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  // Some databases cannot write every type in the form of results, or not as fast as its rows are read.
  if (!text || (limit > text.maxRows && !read.isExact)) return read.ofRows()
  if (read.isChecked || !needsCheck(prepared, engine))
    return readWritten(engine, prepared, options, { text, read })
  return checkResult(engine, prepared, options).then((checked) =>
    readWritten(engine, checked, options, { text, read }),
  )
}

interface WrittenRead<Answer> {
  readonly text: TextStatement
  readonly read: TextRead<Answer>
}

function readWritten<Answer>(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
  { text, read }: WrittenRead<Answer>,
): Answer | Promise<Answer> {
  const written = (found: RowsAndCounts): Answer | Promise<Answer> => {
    if (hasNoItems(found, text) && countsItself(prepared))
      return countAgain(engine, prepared, options).then((counted) =>
        readWritten(engine, counted, options, { text, read }),
      )
    return areCut(found.rows, text) ? read.ofRows() : read.ofText(found, text)
  }
  const instead = (error: unknown): Promise<Answer> => {
    if (!isBeyondJson(engine, error)) throw error
    return read.ofRows()
  }
  try {
    const found = readRowsAndCounts(engine, prepared, options, filledOf(prepared, text))
    return found instanceof Promise ? found.then(written).catch(instead) : written(found)
  } catch (error) {
    return instead(error)
  }
}

const hasNoItems = ({ rows }: RowsAndCounts, { isOneRow }: TextStatement): boolean =>
  isOneRow ? rows[0]?.[0] === '[]' : rows.length === 0
