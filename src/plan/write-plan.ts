// What is to be written, once it is known what of it exists already.
import type { Path } from '../errors.ts'
import type { AnyReference, Collection, ManyToOne, StoredField, ToMany } from '../schema/model.ts'
import type { Given } from './payload.ts'
import type { Storable } from './stored-value.ts'

/** One item to be created or updated, with all that hangs on it. */
export interface ItemWrite {
  readonly collection: Collection
  readonly action: 'create' | 'update'
  /** Where it stands in the request. */
  readonly path: Path
  /** As the caller gave it and the hooks left it. */
  readonly given: Given
  /** Known from the beginning, or from the moment the database has made it. */
  key: Storable | undefined
  readonly values: Map<StoredField, Storable | null>
  readonly refused: ReadonlySet<StoredField>
  readonly targets: readonly TargetWrite[]
  readonly children: readonly ChildrenWrite[]
  /** Taken into a relation as it is: nothing of its own is written. */
  readonly isLink: boolean
  /** Names of fields that the caller asked to be written. Handlers and rules may fill in more. */
  readonly named: readonly string[]
  /** The field that holds the key of the item it hangs on, which is written before it. */
  readonly owner: ManyToOne | undefined
  /** What it holds where nobody says something else. */
  readonly otherwise?: Given | undefined
}

export interface TargetWrite {
  readonly field: ManyToOne | AnyReference
  readonly item: ItemWrite
}

export interface ChildrenWrite {
  readonly relation: ToMany
  readonly isWhole: boolean
  readonly items: readonly ItemWrite[]
  readonly removed: readonly { readonly key: Storable; readonly path: Path }[]
  readonly path: Path
}

/** Keys are values of several kinds; as text, equal ones are the same. */
export const keyText = (key: Storable): string =>
  typeof key === 'object' && 'digits' in key && 'scale' in key ? `${key.digits}e-${key.scale}` : String(key)
