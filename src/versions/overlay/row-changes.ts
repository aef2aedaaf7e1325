// Row changes: rows of the database that would be changed, new rows, and rows that would be deleted.
import { type Key, keyIdentity } from '../../plan/key.ts'
import type { Collection, OwnField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'

export interface PatchedRow {
  readonly collection: Collection
  readonly identity: Identity
  /** Undefined if only the database would assign it. */
  readonly key: Key | undefined
  readonly isNew: boolean
  readonly values: ReadonlyMap<OwnField, Storable | null>
  /** Foreign keys to other rows of the patch, which may have no key yet. */
  readonly links: ReadonlyMap<OwnField, PatchedRow>
  /** The values that relations hold of those rows in place of their keys, where they may be shown. */
  readonly held: ReadonlyMap<OwnField, Key>
}

/** Identifier of a row within its collection. */
export type Identity = string

export const identityOf = (key: Key): Identity => `=${keyIdentity(key)}`

/** True if one new row would be created before the other. */
export const isBefore = (one: PatchedRow, other: PatchedRow): boolean => numberOf(one) < numberOf(other)
const numberOf = ({ identity }: PatchedRow) => Number(identity.slice(1))

interface RowDraft extends PatchedRow {
  readonly values: Map<OwnField, Storable | null>
  readonly links: Map<OwnField, PatchedRow>
  readonly held: Map<OwnField, Key>
}

export class Patch {
  readonly #rows = new Map<Collection, Map<Identity, RowDraft>>()
  readonly #removed = new Map<Collection, Set<Identity>>()
  readonly #touched = new Set<OwnField>()
  #created = 0

  row(collection: Collection, key: Key): PatchedRow {
    return this.find(collection, identityOf(key)) ?? this.#add(collection, key, identityOf(key), false)
  }

  create(collection: Collection, key: Key | undefined): PatchedRow {
    this.#created++
    return this.#add(collection, key, key === undefined ? `+${this.#created}` : identityOf(key), true)
  }

  set(row: PatchedRow, field: OwnField, value: Storable | null): void {
    const draft = this.#draft(row)
    draft.links.delete(field)
    draft.values.set(field, value)
    this.#touched.add(field)
  }

  link(row: PatchedRow, field: OwnField, target: PatchedRow, held?: Key): void {
    const draft = this.#draft(row)
    if (held === undefined) draft.held.delete(field)
    else draft.held.set(field, held)
    draft.values.delete(field)
    draft.links.set(field, target)
    this.#touched.add(field)
  }

  remove(collection: Collection, key: Key): void {
    const gone = this.#removed.get(collection) ?? new Set()
    this.#removed.set(collection, gone.add(identityOf(key)))
  }

  find(collection: Collection, identity: Identity): PatchedRow | undefined {
    return this.#rows.get(collection)?.get(identity)
  }

  of(collection: Collection): readonly PatchedRow[] {
    return [...(this.#rows.get(collection)?.values() ?? [])]
  }

  isRemoved(collection: Collection, identity: Identity): boolean {
    return this.#removed.get(collection)?.has(identity) ?? false
  }

  touches(collection: Collection): boolean {
    return this.#removed.has(collection) || this.of(collection).some(isChanged)
  }

  touchesField(field: OwnField): boolean {
    return this.#touched.has(field) || this.of(field.collection).some(({ isNew }) => isNew)
  }

  #draft({ collection, identity }: PatchedRow): RowDraft {
    return this.#rows.get(collection)?.get(identity) ?? this.#add(collection, undefined, identity, true)
  }

  #add(collection: Collection, key: Key | undefined, identity: Identity, isNew: boolean): RowDraft {
    const rows = this.#rows.get(collection) ?? new Map<Identity, RowDraft>()
    const row: RowDraft = {
      collection,
      identity,
      key,
      isNew,
      values: new Map(),
      links: new Map(),
      held: new Map(),
    }
    this.#rows.set(collection, rows.set(identity, row))
    return row
  }
}

const isChanged = ({ isNew, values, links }: PatchedRow) => isNew || values.size > 0 || links.size > 0
