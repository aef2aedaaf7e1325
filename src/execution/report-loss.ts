// Columns that hold what results cannot show: each is reported to the host once.
import { fault } from '../errors/errors.ts'
import type { StoredField } from '../schema/model.ts'
import { attempt, type Hears } from './report-errors.ts'

export function reportLoss(onError: Hears<never>): (field: StoredField) => void {
  const reported = new Set<string>()
  return ({ collection, column, name, value }) => {
    const place = JSON.stringify([collection.dbSchema, collection.table, column])
    if (reported.has(place)) return
    reported.add(place)
    const { holds, hint } = value.family === 'boolean' ? losses.boolean : losses.text
    const loss = fault(
      'INVALID_SCHEMA',
      `The column of the field "${name}" of "${collection.name}" holds ${holds}.`,
      { hint },
    )
    void attempt(() => Promise.reject(loss), undefined, onError)
  }
}

const losses = {
  text: {
    holds: 'bytes that spell no text; U+FFFD stands for what cannot be read',
    hint: 'A field of the type "binary" holds bytes as they are.',
  },
  boolean: {
    holds: 'numbers other than 0 and 1, which are true',
    hint: 'A field of the type "integer" holds numbers as they are.',
  },
} as const
