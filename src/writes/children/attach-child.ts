// Links a child to its parent: the fields of the child that refer to the parent get its key.
import { type Key, valuesOfKey } from '../../plan/key.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import { type ManyToOne, partsOf } from '../../schema/model.ts'

/** Sets the fields of a child that refer to its parent. Where they are parts of its own key, an existing child has them already. */
export function attachChild({ action, values }: ItemWrite, foreign: ManyToOne, owner: Key): void {
  for (const [field, value] of valuesOfKey(partsOf(foreign), owner))
    if (!(field.isKey && action === 'update')) values.set(field, value)
}
