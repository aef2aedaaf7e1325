// Text columns that hold bytes which are no valid text: each is reported to the host once.
import { fault } from '../errors/errors.ts'
import type { StoredField } from '../schema/model.ts'
import { attempt, type Hears } from './report-errors.ts'

export function reportInvalidText(onError: Hears<never>): (field: StoredField) => void {
  const told = new Set<string>()
  return ({ collection, column, name }) => {
    const place = JSON.stringify([collection.dbSchema, collection.table, column])
    if (told.has(place)) return
    told.add(place)
    const loss = fault(
      'INVALID_SCHEMA',
      `The column of the field "${name}" of "${collection.name}" holds bytes that spell no text; U+FFFD stands for what cannot be read.`,
      { hint: 'A field of the type "binary" holds bytes as they are.' },
    )
    void attempt(() => Promise.reject(loss), undefined, onError)
  }
}
