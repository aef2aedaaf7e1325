// Collections as a caller sees them: the fields, the key, and the columns that only some rows show.

import type {
  AnyReference,
  Collection,
  Field,
  KeyField,
  LinkColumn,
  LinkTuple,
  ManyToOne,
  ScalarField,
  StoredField,
  ToMany,
} from '../schema/model.ts'
import { isStored, isToMany, isTuple, keyFieldsOf } from '../schema/model.ts'
import type { RuleGrants, RuleRead } from './rules.ts'

export interface VisibleField {
  readonly of: Collection
  /** Rules of which any may allow a row. */
  readonly rules: readonly RuleRead[]
  /** Fields that only the rows of some rules have, by the column under which they are shown. */
  readonly partly: ReadonlyMap<string, Partly>
}

interface Partly {
  readonly column: string
  readonly rules: readonly RuleRead[]
}

/** Collections of which at least one field may be read. */
export class Views {
  readonly #made = new Map<Collection, CollectionView>()
  readonly #grants: RuleGrants
  readonly #apart: ReadonlySet<Collection>

  constructor(grants: RuleGrants, apart: ReadonlySet<Collection>) {
    this.#grants = grants
    this.#apart = apart
  }

  begin(collection: Collection): void {
    const { read: rules = [] } = this.#grants.get(collection) ?? {}
    if (rules.length > 0)
      this.#made.set(collection, new CollectionView(collection, rules, this.#apart.has(collection)))
  }

  each(work: (view: CollectionView) => void): void {
    for (const view of this.#made.values()) work(view)
  }

  reached(collection: Collection): CollectionView | undefined {
    return this.#apart.has(collection) ? undefined : this.#made.get(collection)
  }
}

/** Name that no column of a table has. */
const keyColumn = '_quernel_key'

class CollectionView implements Collection, VisibleField {
  readonly isSeen = true
  readonly isApart?: true
  readonly of: Collection
  readonly rules: readonly RuleRead[]
  readonly name: string
  readonly table: string
  readonly dbSchema: string | undefined
  readonly isSingleton: boolean
  readonly isVersioned: boolean
  readonly note: string | undefined
  readonly fields = new Map<string, Field>()
  readonly partly = new Map<string, Partly>()
  sortField: StoredField | undefined
  /** The key that identifies rows, even if it is not visible to the caller. */
  key: KeyField | undefined

  constructor(of: Collection, rules: readonly RuleRead[], isApart: boolean) {
    if (isApart) this.isApart = true
    this.of = of
    this.rules = rules
    this.name = of.name
    this.table = of.table
    this.dbSchema = of.dbSchema
    this.isSingleton = of.isSingleton
    this.isVersioned = of.isVersioned
    this.note = of.note
    this.key = of.key
  }

  /** Takes fields with a column, except references to any collection, which need the field beside them. */
  takeColumns(views: Views): void {
    this.key = this.of.key && this.#keyOf(this.of.key, views)
    const own = new Map(keyFieldsOf(this).map((part) => [part.name, part]))
    for (const field of this.of.fields.values()) {
      if (!isStored(field) || field.kind === 'any' || !this.#isGranted(field)) continue
      const seen = this.#isFullyVisible(field)
        ? (own.get(field.name) ?? this.#column(field, views))
        : this.#parted(field, views)
      this.fields.set(field.name, seen)
    }
  }

  #keyOf(key: KeyField, views: Views): KeyField {
    if (key.kind !== 'key') return this.#column(key, views)
    const parts = key.parts.map((part) => (part.kind === 'any' ? part : this.#column(part, views)))
    return { ...key, collection: this, parts }
  }

  takeReferences(views: Views): void {
    for (const field of this.of.fields.values()) {
      if (field.kind !== 'any' || !this.#isGranted(field)) continue
      const by = this.fields.get(field.by.name)
      const targets = [...field.targets].flatMap(([name, target]) => {
        const view = views.reached(target)
        return view ? [[name, view] as const] : []
      })
      const own = { ...field, collection: this, ...this.#nullness(field) }
      // Without the field that names the collection it is an ordinary text.
      const seen: AnyReference | ScalarField =
        by?.kind === 'scalar' && targets.length > 0
          ? { ...own, kind: 'any', by, targets: new Map(targets) }
          : { ...own, ...asScalar }
      this.fields.set(field.name, seen)
    }
    for (const field of this.of.fields.values()) {
      const seen = !isToMany(field) && isTuple(field) && this.#isGranted(field) && this.#tuple(field, views)
      if (seen) this.fields.set(field.name, seen)
    }
    const { sortField } = this.of
    this.sortField = sortField && this.#stored(sortField.name)
  }

  /** Returns a relation that other fields hold; undefined unless they and its target are visible. */
  #tuple(field: LinkTuple, views: Views): LinkTuple | undefined {
    const target = views.reached(field.target)
    const parts = field.parts.flatMap(({ name, column }) => {
      const shown = this.#stored(name)
      return shown ? [{ shown, column }] : []
    })
    if (!target || parts.length < field.parts.length) return undefined
    const isFullyVisible = this.#isFullyVisible(field)
    const names = [field, ...field.parts].map(({ name }) => name)
    const rules = this.rules.filter(({ fields }) => names.every((name) => fields.has(name)))
    if (!isFullyVisible && rules.length === 0) return undefined
    const seen = parts.map(({ shown, column: from }, index) => {
      if (isFullyVisible) return shown
      const column = `${keyColumn}_${field.name}_${index + 1}`
      this.partly.set(column, { column: from, rules })
      return { ...shown, column, isKey: false, isNullable: true }
    })
    const isNullable = seen.some((part) => part.isNullable)
    return { ...field, collection: this, target, parts: seen, isNullable }
  }

  /** Takes relations to rows that hold the key of an item: a relation is visible if the field that holds the key is. */
  takeLists(views: Views): void {
    for (const field of this.of.fields.values()) {
      if (!isToMany(field) || !this.#isGranted(field)) continue
      const target = views.reached(field.target)
      const foreign = target?.fields.get(field.foreign.name)
      if (target && foreign?.kind === 'm2o') this.fields.set(field.name, this.#list(field, target, foreign))
    }
    this.#arrange()
  }

  #list(field: ToMany, target: CollectionView, foreign: ManyToOne): ToMany {
    const sort = field.sort && target.#stored(field.sort.name)
    const own = { ...field, collection: this, target, foreign, sort }
    const far = field.kind === 'o2m' ? undefined : target.fields.get(field.far.name)
    if (field.kind === 'm2m' && far?.kind === 'm2o') return { ...own, kind: 'm2m', far }
    if (field.kind === 'm2a' && far?.kind === 'any') return { ...own, kind: 'm2a', far }
    // The far side is not visible; the rows between are.
    const { name, note, deselect, within } = field
    return { kind: 'o2m', name, note, deselect, within, collection: this, target, foreign, sort }
  }

  /** Restores the order of the schema. */
  #arrange(): void {
    const taken = new Map(this.fields)
    this.fields.clear()
    for (const name of this.of.fields.keys()) {
      const field = taken.get(name)
      if (field) this.fields.set(name, field)
    }
  }

  #stored(name: string): StoredField | undefined {
    const field = this.fields.get(name)
    return field && isStored(field) ? field : undefined
  }

  #column(field: ScalarField | LinkColumn, views: Views): ScalarField | LinkColumn {
    const target = field.kind === 'm2o' ? views.reached(field.target) : undefined
    if (field.kind === 'm2o')
      return target ? { ...field, collection: this, target } : { ...field, collection: this, ...asScalar }
    return { ...field, collection: this }
  }

  /** Returns a field that is null where no rule allows both the row and the field. */
  #parted(field: ScalarField | LinkColumn, views: Views): ScalarField | LinkColumn {
    const own = { ...this.#column(field, views), ...this.#nullness(field) }
    return { ...own, column: this.#shownColumn(field), isKey: false }
  }

  #nullness(field: StoredField): Pick<StoredField, 'isNullable'> {
    if (this.#isFullyVisible(field)) return field
    const rules = this.rules.filter(({ fields }) => fields.has(field.name))
    this.partly.set(this.#shownColumn(field), { column: field.column, rules })
    return { isNullable: true }
  }

  /** The name of the column of a field that is shown on some rows only. What identifies rows stays beside it. */
  #shownColumn(field: StoredField): string {
    if (!field.isKey) return field.isReferenced ? `${keyColumn}_of_${field.name}` : field.column
    const index = keyFieldsOf(this.of).indexOf(field)
    return index === 0 ? keyColumn : `${keyColumn}_${index}`
  }

  #isGranted({ name }: Field): boolean {
    return this.rules.some(({ fields }) => fields.has(name))
  }

  /** True if the field is allowed on every visible row. */
  #isFullyVisible({ name }: Field): boolean {
    const granting = this.rules.filter(({ fields }) => fields.has(name))
    return granting.length === this.rules.length || granting.some(({ filter }) => filter === undefined)
  }
}

/** Properties of a field whose target is not visible: it is no more than its value. */
const asScalar = {
  kind: 'scalar',
  isConcealed: false,
  isGenerated: false,
  isRowNumber: false,
  isSearchable: false,
  isIndexed: true,
  schema: undefined,
} as const
