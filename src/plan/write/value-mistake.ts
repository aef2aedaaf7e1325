// The error for a value of a payload that a field cannot store.
import { fault, type Path, quote } from '../../errors/errors.ts'
import type { OwnField } from '../../schema/model.ts'
import type { readStored } from './stored-value.ts'

/** An error for a value that cannot be stored. The given value is only included if it is short and plain. */
export function valueMistake(
  field: OwnField,
  path: Path,
  mistake: Extract<ReturnType<typeof readStored>, { kind: 'mistake' }>,
  input: unknown,
) {
  const { code, type, says, valid, hint } = mistake
  const isPlain = typeof input === 'number' || typeof input === 'boolean' || typeof input === 'string'
  return fault(code, `"${field.name}" ${says}, not ${quote(input)}.`, {
    path,
    ...(hint !== undefined && { hint }),
    extensions: {
      collection: field.collection.name,
      field: field.name,
      type,
      ...(valid !== undefined && { valid }),
      ...(isPlain && { invalid: input }),
    },
  })
}
