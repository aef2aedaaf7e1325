// Counts the rows below the items of an answer before it is read, where they may be too many.
import { refuseExcess } from './below.ts'
import { type Database, executeSoon, type Options } from './execute.ts'
import { filledOf, mayBeTooMany, type Prepared } from './prepare.ts'
import { next, type Soon } from './soon.ts'

export function unlessTooMany<Answer>(
  database: Database,
  prepared: Prepared,
  options: Options,
  read: () => Soon<Answer>,
): Soon<Answer> {
  const { below } = prepared.template
  if (!below?.counts || !mayBeTooMany(prepared)) return read()
  return next(executeSoon(database, filledOf(prepared, below.counts), options), ([row]) => {
    refuseExcess(below, row)
    return read()
  })
}
