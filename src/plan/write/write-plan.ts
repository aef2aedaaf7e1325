// The writes of a request, once it is known which items exist already.

import type { Path } from '../../errors/errors.ts'
import type {
  AnyReference,
  Collection,
  ManyToOne,
  ScalarField,
  StoredField,
  ToMany,
} from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import type { Key } from '../key.ts'
import type { ItemData } from './changes.ts'

export interface ItemWrite {
  readonly collection: Collection
  readonly action: 'create' | 'update'
  readonly path: Path
  /** As given by the caller and left by the hooks. */
  payload: ItemData
  /** Known from the beginning, or once the database has generated it. */
  key: Key | undefined
  readonly values: Map<StoredField, Storable | null>
  /** Additions to stored values, and changes of stored documents. `values` has the sums, once the row is locked and read. */
  readonly increments: Map<ScalarField, Storable>
  readonly refused: ReadonlySet<StoredField>
  readonly targets: readonly TargetWrite[]
  readonly children: readonly ChildrenWrite[]
  /** True if it is only linked into a relation: no fields of its own are given. */
  readonly isLink: boolean
  /** True if it gets another parent than before, which is a change of its own row. Known once rows are locked. */
  isAttached: boolean
  /** Names of fields that the caller requested to write. Hooks and rules may fill in more. */
  readonly named: readonly string[]
  /** The field with the key of its parent, which is written before it. */
  readonly owner: ManyToOne | undefined
  /** Values for fields that are not given. */
  readonly otherwise?: ItemData | undefined
  /** True if a new item may be there already, and is no error then. */
  readonly isUnlessThere?: boolean | undefined
}

/** True if anything of an item's own row is written. */
export const isTouched = ({ isLink, isAttached }: Pick<ItemWrite, 'isLink' | 'isAttached'>): boolean =>
  !isLink || isAttached

export interface TargetWrite {
  readonly field: ManyToOne | AnyReference
  readonly item: ItemWrite
}

export interface ChildrenWrite {
  readonly relation: ToMany
  readonly isComplete: boolean
  readonly items: readonly ItemWrite[]
  readonly removed: readonly { readonly key: Key; readonly path: Path }[]
  readonly path: Path
}

export interface RemovedChild {
  readonly relation: ToMany
  readonly owner: Key
  readonly key: Key
  /** True if it is deleted; otherwise it has no parent afterwards. */
  readonly isDeleted: boolean
  /** The place of the relation in the request. */
  readonly path: Path
}
