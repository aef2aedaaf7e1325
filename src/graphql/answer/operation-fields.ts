// Fields that an operation selects, of all its roots together: one root's limit would otherwise hold for each of them anew.
import { type EngineError, fault } from '../../errors/errors.ts'

interface SelectingRoot {
  /** How many fields are selected below it, as they are after fragments were merged. */
  readonly selected?: number | undefined
}

/** Returns the root that passes the limit of fields, with its error; undefined if all are within it. */
export function fieldsBeyond<Root extends SelectingRoot>(
  roots: readonly Root[],
  max: number,
): { readonly root: Root; readonly error: EngineError } | undefined {
  let counted = 0
  for (const root of roots) {
    counted += root.selected ?? 0
    if (counted <= max) continue
    const error = fault('INVALID_QUERY', `The operation selects more than ${max} fields.`, {
      hint: 'Select fewer, or ask in several requests.',
    })
    return { root, error }
  }
  return undefined
}
