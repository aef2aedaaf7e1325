// What is to be written, once it is known what of it exists already.
import type { Path } from '../errors/errors.ts'
import type { AnyReference, Collection, ManyToOne, StoredField, ToMany } from '../schema/model.ts'
import type { ItemData } from './changes.ts'
import type { Storable } from './stored-value.ts'

/** One item to be created or updated, with all that hangs on it. */
export interface ItemWrite {
  readonly collection: Collection
  readonly action: 'create' | 'update'
  /** Where it stands in the request. */
  readonly path: Path
  /** As the caller gave it and the hooks left it. */
  given: ItemData
  /** Known from the beginning, or from the moment the database has made it. */
  key: Storable | undefined
  readonly values: Map<StoredField, Storable | null>
  readonly refused: ReadonlySet<StoredField>
  readonly targets: readonly TargetWrite[]
  readonly children: readonly ChildrenWrite[]
  /** Taken into a relation as it is: nothing of its own is given. */
  readonly isLink: boolean
  /** It hangs on another item than before, which is a change of its own. Known once rows are held. */
  isHung: boolean
  /** Names of fields that the caller asked to be written. Handlers and rules may fill in more. */
  readonly named: readonly string[]
  /** The field that holds the key of the item it hangs on, which is written before it. */
  readonly owner: ManyToOne | undefined
  /** What it holds where nobody says something else. */
  readonly otherwise?: ItemData | undefined
}

/** Whether anything of an item's own row is written. */
export const isTouched = ({ isLink, isHung }: ItemWrite): boolean => !isLink || isHung

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

/** A child that is taken off the item it hangs on. */
export interface Leaving {
  readonly relation: ToMany
  readonly owner: Storable
  readonly key: Storable
  /** It is deleted; otherwise it hangs on nothing afterwards. */
  readonly isGoing: boolean
  /** Where the request speaks of the relation. */
  readonly path: Path
}

/** Keys are values of several kinds; as text, equal ones are the same. */
export const keyText = (key: Storable): string =>
  typeof key === 'object' && 'digits' in key && 'scale' in key ? `${key.digits}e-${key.scale}` : String(key)
