// Collections as a caller sees them: the fields, the key, and the columns that only some rows show.

import type {
  AnyReference,
  Collection,
  Field,
  KeyField,
  LinkColumn,
  LinkTuple,
  ScalarField,
  StoredField,
  ToMany,
} from '../schema/model.ts'
import { isStored, isToMany, isTuple, keyFieldsOf, referencedFields } from '../schema/model.ts'
import { countType } from '../schema/stored-fields.ts'
import type { RuleRead } from './rules.ts'

export interface VisibleField {
  readonly of: Collection
  /** Rules of which any may allow a row. */
  readonly rules: readonly RuleRead[]
  /** Fields that only the rows of some rules have, by the column under which they are shown. */
  readonly partly: ReadonlyMap<string, Partly>
}

interface Partly {
  /** Empty for a relation to many. */
  readonly column: string
  readonly rules: readonly RuleRead[]
}

/** Returns the view of a collection to which a name or a relation may lead. */
type Reached = (collection: Collection) => CollectionView | undefined

/** Name that no column of a table has. */
const keyColumn = '_quernel_key'

/** The name of the column that has a value where a relation to many is visible. */
const listColumn = (name: string): string => `${keyColumn}_on_${name}`

export class CollectionView implements Collection, VisibleField {
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
  readonly #reached: Reached
  /** The fields with a column. They are taken on first use: a caller has rules for many collections, and reads few. */
  readonly #fields = new Map<string, Field>()
  readonly #partly = new Map<string, Partly>()
  #sortField: StoredField | undefined
  #key: KeyField | undefined
  #all: ReadonlyMap<string, Field> | undefined
  #isTaken = false

  constructor(of: Collection, rules: readonly RuleRead[], isApart: boolean, reached: Reached) {
    if (isApart) this.isApart = true
    this.of = of
    this.rules = rules
    this.name = of.name
    this.table = of.table
    this.dbSchema = of.dbSchema
    this.isSingleton = of.isSingleton
    this.isVersioned = of.isVersioned
    this.note = of.note
    this.#reached = reached
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#all ??= this.#withStored().#withLists()
    return this.#all
  }

  get partly(): ReadonlyMap<string, Partly> {
    return this.#withStored().#partly
  }

  get sortField(): StoredField | undefined {
    return this.#withStored().#sortField
  }

  /** The key that identifies rows, even if it is not visible to the caller. */
  get key(): KeyField | undefined {
    return this.#withStored().#key
  }

  /** Takes the fields that refer to no other: lists refer to those of other views. */
  #withStored(): this {
    if (this.#isTaken) return this
    this.#isTaken = true
    this.#takeColumns()
    this.#takeReferences()
    this.#partLists()
    return this
  }

  /** Notes where relations with a condition are visible, if that is on some rows only. */
  #partLists(): void {
    for (const field of this.of.fields.values()) {
      if (!isToMany(field) || !field.within || this.#isFullyVisible(field)) continue
      const rules = this.rules.filter(({ fields }) => fields.has(field.name))
      if (rules.length > 0) this.#partly.set(listColumn(field.name), { column: '', rules })
    }
  }

  /** Takes fields with a column, except references to any collection, which need the field beside them. */
  #takeColumns(): void {
    this.#key = this.of.key && this.#keyOf(this.of.key)
    const own = new Map(keyFieldsOf(this).map((part) => [part.name, part]))
    for (const field of this.of.fields.values()) {
      if (!isStored(field) || field.kind === 'any' || !this.#isGranted(field)) continue
      const seen = this.#isFullyVisible(field)
        ? (own.get(field.name) ?? this.#column(field))
        : this.#parted(field)
      this.#fields.set(field.name, seen)
    }
  }

  #keyOf(key: KeyField): KeyField {
    if (key.kind !== 'key') return this.#column(key)
    const parts = key.parts.map((part) => (part.kind === 'any' ? part : this.#column(part)))
    return { ...key, collection: this, parts }
  }

  #takeReferences(): void {
    for (const field of this.of.fields.values()) {
      if (field.kind !== 'any' || !this.#isGranted(field)) continue
      const by = this.#fields.get(field.by.name)
      const targets = [...field.targets].flatMap(([name, target]) => {
        const view = this.#reached(target)
        return view ? [[name, view] as const] : []
      })
      const own = { ...field, collection: this, ...this.#nullness(field) }
      // Without the field that names the collection it is an ordinary text.
      const seen: AnyReference | ScalarField =
        by?.kind === 'scalar' && targets.length > 0
          ? { ...own, kind: 'any', by, targets: new Map(targets) }
          : { ...own, ...asScalar }
      this.#fields.set(field.name, seen)
    }
    for (const field of this.of.fields.values()) {
      const seen = !isToMany(field) && isTuple(field) && this.#isGranted(field) && this.#tuple(field)
      if (seen) this.#fields.set(field.name, seen)
    }
    const { sortField } = this.of
    this.#sortField = sortField && this.#stored(sortField.name)
  }

  /** Returns a relation that other fields hold; undefined unless they and its target are visible. */
  #tuple(field: LinkTuple): LinkTuple | undefined {
    const target = this.#reached(field.target)
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
      this.#partly.set(column, { column: from, rules })
      return { ...shown, column, isKey: false, isNullable: true }
    })
    const isNullable = seen.some((part) => part.isNullable)
    return { ...field, collection: this, target, parts: seen, isNullable }
  }

  /** Returns all fields in the order of the schema. A relation to rows that hold the key of an item is visible if the field that holds it is. */
  #withLists(): ReadonlyMap<string, Field> {
    const all = new Map<string, Field>()
    for (const field of this.of.fields.values()) {
      const isList = isToMany(field) && this.#isGranted(field)
      const seen = isList ? this.#list(field) : this.#fields.get(field.name)
      if (seen) all.set(field.name, seen)
    }
    return all
  }

  #list(field: ToMany): ToMany | undefined {
    const target = this.#reached(field.target)
    if (!target) return undefined
    const foreign = target.#withStored().#fields.get(field.foreign.name)
    if (foreign?.kind !== 'm2o') return undefined
    const sort = field.sort && target.#stored(field.sort.name)
    const within = this.#isFullyVisible(field) ? field.within : this.#within(field)
    const own = { ...field, collection: this, target, foreign, sort, within }
    const far = field.kind === 'o2m' ? undefined : target.#fields.get(field.far.name)
    if (field.kind === 'm2m' && far?.kind === 'm2o') return { ...own, kind: 'm2m', far }
    if (field.kind === 'm2a' && far?.kind === 'any') return { ...own, kind: 'm2a', far }
    // The far side is not visible; the rows between are.
    const { name, note, deselect } = field
    return { kind: 'o2m', name, note, deselect, within, collection: this, target, foreign, sort }
  }

  /** Returns the condition of a relation with the field that has a value where a rule allows both the row and the relation. */
  #within({ name, foreign, within }: ToMany): ToMany['within'] {
    const [like] = referencedFields(foreign)
    if (!like || !within) return within
    const column = listColumn(name)
    const own = { name: column, column, collection: this, value: countType, isNullable: true, isKey: false }
    return { ...within, shownBy: { ...like, ...asScalar, ...own } }
  }

  #stored(name: string): StoredField | undefined {
    const field = this.#fields.get(name)
    return field && isStored(field) ? field : undefined
  }

  #column(field: ScalarField | LinkColumn): ScalarField | LinkColumn {
    const target = field.kind === 'm2o' ? this.#reached(field.target) : undefined
    if (field.kind === 'm2o')
      return target ? { ...field, collection: this, target } : { ...field, collection: this, ...asScalar }
    return { ...field, collection: this }
  }

  /** Returns a field that is null where no rule allows both the row and the field. */
  #parted(field: ScalarField | LinkColumn): ScalarField | LinkColumn {
    const own = { ...this.#column(field), ...this.#nullness(field) }
    return { ...own, column: this.#shownColumn(field), isKey: false }
  }

  #nullness(field: StoredField): Pick<StoredField, 'isNullable'> {
    if (this.#isFullyVisible(field)) return field
    const rules = this.rules.filter(({ fields }) => fields.has(field.name))
    this.#partly.set(this.#shownColumn(field), { column: field.column, rules })
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
