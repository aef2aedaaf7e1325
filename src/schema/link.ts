// The second half of a definition: names become links, and what they point to is checked.
import type { EngineError } from '../errors.ts'
import { quote } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { schemaFault } from './check.ts'
import type {
  AnyDefinition,
  CollectionDefinition,
  FieldDefinition,
  ManyToOneDefinition,
  OneToManyDefinition,
  ScalarDefinition,
  SchemaDefinition,
  ThroughDefinition,
} from './definition.ts'
import { fieldTypes } from './field-types.ts'
import type {
  AnyReference,
  Collection,
  Field,
  ManyToOne,
  ScalarField,
  StoredField,
  ToMany,
  ValueType,
} from './model.ts'
import { type FieldPlace, StoredLink, StoredReference, StoredScalar, valueTypeOf } from './stored-fields.ts'

/** Links the names of a definition whose shape is known to be right. */
export function link(definition: SchemaDefinition): {
  readonly collections: ReadonlyMap<string, Collection>
  readonly problems: readonly EngineError[]
} {
  const linker = new Linker(definition)
  return { collections: linker.link(), problems: linker.problems }
}

type Draft = { -readonly [Name in keyof Collection]: Collection[Name] } & {
  readonly fields: Map<string, Field>
}

type Place = FieldPlace<Draft>

class Linker {
  readonly problems: EngineError[] = []
  readonly #drafts = new Map<string, Draft>()
  readonly #definition: SchemaDefinition

  constructor(definition: SchemaDefinition) {
    this.#definition = definition
  }

  link(): ReadonlyMap<string, Collection> {
    const entries = Object.entries(this.#definition)
    for (const [name, collection] of entries) this.#drafts.set(name, emptyDraft(name, collection))
    // Stored fields come first, because relations of other collections point at them.
    const stored = new Map(
      entries.map(([name, collection]) => [name, this.#storedFields(this.#draft(name), collection)]),
    )
    for (const [name, collection] of entries)
      this.#keyAndSort(this.#draft(name), collection, stored.get(name) ?? new Map())
    for (const [name, collection] of entries) this.#allFields(this.#draft(name), collection, stored)
    return this.#drafts
  }

  #draft(name: string): Draft {
    return this.#drafts.get(name) ?? emptyDraft(name, { fields: {} })
  }

  #storedFields(collection: Draft, definition: CollectionDefinition): Map<string, StoredField> {
    const fields = new Map<string, StoredField>()
    for (const [name, field] of Object.entries(definition.fields)) {
      const linked = this.#stored({ collection, field: name }, field)
      if (linked) fields.set(name, linked)
    }
    this.#refuseSharedColumns(collection, [...fields.values()])
    return fields
  }

  #stored(place: Place, field: FieldDefinition): StoredField | undefined {
    if (field.type === 'm2o') return this.#manyToOne(place, field)
    // A reference to any collection needs the text field beside it, and comes with the relations.
    return isScalar(field) ? new StoredScalar(place, field) : undefined
  }

  #manyToOne(place: Place, field: ManyToOneDefinition): ManyToOne | undefined {
    const target = this.#collection(place, field.to, 'to')
    const value = target && this.#keyValue(target.name)
    if (!target || !value) return undefined
    return new StoredLink(place, field, target, value)
  }

  /** The type of a collection's key; a key that is itself a relation takes its target's. */
  #keyValue(collection: string, seen: readonly string[] = []): ValueType | undefined {
    const fields = Object.values(this.#definition[collection]?.fields ?? {})
    const key = fields.find(
      (field): field is ScalarDefinition | ManyToOneDefinition => 'key' in field && field.key === true,
    )
    if (!key || seen.includes(collection)) return undefined
    return key.type === 'm2o' ? this.#keyValue(key.to, [...seen, collection]) : valueTypeOf(key)
  }

  #keyAndSort(
    collection: Draft,
    definition: CollectionDefinition,
    fields: ReadonlyMap<string, StoredField>,
  ): void {
    const named = Object.entries(definition.fields).filter(
      ([, field]) => 'key' in field && field.key === true,
    )
    const [first] = named
    if (!first) this.#refuse(collection, undefined, 'has no key; mark one field with "key: true"')
    if (named.length > 1) {
      this.#refuse(
        collection,
        undefined,
        `has ${named.length} keys (${named.map(([name]) => quote(name)).join(', ')}); it may have one`,
      )
    }
    const key = first && fields.get(first[0])
    if (key && key.kind !== 'any') collection.key = key
    else if (first && key === undefined && this.problems.length === 0) {
      this.#refuse(collection, first[0], 'is a key that leads back to itself')
    }
    if (definition.sortField === undefined) return
    collection.sortField = fields.get(definition.sortField)
    if (!collection.sortField)
      this.#refuseName(collection, undefined, 'sortField', definition.sortField, fields.keys())
  }

  #allFields(
    collection: Draft,
    definition: CollectionDefinition,
    stored: ReadonlyMap<string, ReadonlyMap<string, StoredField>>,
  ): void {
    const own = stored.get(collection.name)
    for (const [name, field] of Object.entries(definition.fields)) {
      const linked = own?.get(name) ?? this.#relation({ collection, field: name }, field, stored)
      if (linked) collection.fields.set(name, linked)
    }
  }

  #relation(
    place: Place,
    field: FieldDefinition,
    stored: ReadonlyMap<string, ReadonlyMap<string, StoredField>>,
  ): Field | undefined {
    if (field.type === 'any') return this.#anyReference(place, field, stored.get(place.collection.name))
    if (field.type === 'o2m') return this.#oneToMany(place, field, stored)
    if (field.type === 'm2m' || field.type === 'm2a') return this.#through(place, field, stored)
    return undefined
  }

  #anyReference(
    place: Place,
    field: AnyDefinition,
    own: ReadonlyMap<string, StoredField> | undefined,
  ): AnyReference | undefined {
    const by = own?.get(field.by)
    if (by?.kind !== 'scalar' || by.value.family !== 'text') {
      this.#refuse(
        place.collection,
        place.field,
        `needs "by" to name a string field beside it; ${quote(field.by)} is none`,
      )
      return undefined
    }
    const targets = new Map<string, Collection>()
    for (const name of field.to) {
      const target = this.#collection(place, name, 'to')
      if (target) targets.set(name, target)
    }
    return new StoredReference(place, field, targets, by)
  }

  #oneToMany(
    place: Place,
    field: OneToManyDefinition,
    stored: ReadonlyMap<string, ReadonlyMap<string, StoredField>>,
  ): ToMany | undefined {
    const parts = this.#toMany(place, field, field.from, 'from', stored)
    return parts && { ...parts, kind: 'o2m' }
  }

  #through(
    place: Place,
    field: ThroughDefinition,
    stored: ReadonlyMap<string, ReadonlyMap<string, StoredField>>,
  ): ToMany | undefined {
    const parts = this.#toMany(place, field, field.through, 'through', stored)
    if (!parts) return undefined
    const junction = parts.target.name
    const beyond = this.#definition[junction]?.fields[field.to]
    if (field.type === 'm2m') {
      const far = stored.get(junction)?.get(field.to)
      if (far?.kind === 'm2o') return { ...parts, kind: 'm2m', far }
      this.#refuse(
        place.collection,
        place.field,
        `needs "to" to name a many-to-one field of ${quote(junction)}; ${quote(field.to)} is none`,
      )
      return undefined
    }
    if (beyond?.type !== 'any') {
      this.#refuse(
        place.collection,
        place.field,
        `needs "to" to name a field of type "any" in ${quote(junction)}; ${quote(field.to)} is none`,
      )
      return undefined
    }
    const far = this.#anyReference(
      { collection: this.#draft(junction), field: field.to },
      beyond,
      stored.get(junction),
    )
    return far && { ...parts, kind: 'm2a', far }
  }

  #toMany(
    place: Place,
    field: OneToManyDefinition | ThroughDefinition,
    route: string,
    option: string,
    stored: ReadonlyMap<string, ReadonlyMap<string, StoredField>>,
  ) {
    const dot = route.lastIndexOf('.')
    if (dot < 1) {
      this.#refuse(
        place.collection,
        place.field,
        `needs "${option}" in the form collection.field; ${quote(route)} is not`,
      )
      return undefined
    }
    const target = this.#collection(place, route.slice(0, dot), option)
    if (!target) return undefined
    const name = route.slice(dot + 1)
    const fields = stored.get(target.name) ?? new Map<string, StoredField>()
    const foreign = fields.get(name)
    if (!foreign) {
      this.#refuseName(place.collection, place.field, option, name, fields.keys(), target.name)
      return undefined
    }
    if (foreign.kind !== 'm2o' || foreign.target !== place.collection) {
      const want = `a many-to-one field that points to ${quote(place.collection.name)}`
      this.#refuse(
        place.collection,
        place.field,
        `needs "${option}" to name ${want}; ${quote(route)} is none`,
      )
      return undefined
    }
    const sort = field.sort === undefined ? undefined : fields.get(field.sort)
    if (field.sort !== undefined && !sort) {
      this.#refuseName(place.collection, place.field, 'sort', field.sort, fields.keys(), target.name)
    }
    return {
      name: place.field,
      collection: place.collection,
      note: field.note,
      target,
      foreign,
      sort,
      deselect: field.deselect ?? 'nullify',
    }
  }

  #collection(place: Place, name: string, option: string): Draft | undefined {
    const found = this.#drafts.get(name)
    if (!found) this.#refuseName(place.collection, place.field, option, name, this.#drafts.keys())
    return found
  }

  #refuseSharedColumns(collection: Draft, fields: readonly StoredField[]): void {
    const owners = new Map<string, string>()
    for (const { name, column } of fields) {
      const owner = owners.get(column)
      if (owner !== undefined)
        this.#refuse(collection, name, `stands for the column ${quote(column)}, and so does ${quote(owner)}`)
      owners.set(column, name)
    }
  }

  #refuseName(
    collection: Draft,
    field: string | undefined,
    option: string,
    name: string,
    legal: Iterable<string>,
    of?: string,
  ): void {
    const near = nearest(name, legal)
    const what =
      of === undefined
        ? option === 'sortField'
          ? 'stored field'
          : 'collection'
        : `stored field of ${quote(of)}`
    this.#refuse(
      collection,
      field,
      `has "${option}" ${quote(name)}, which is no ${what}`,
      near && `Did you mean "${near}"?`,
    )
  }

  #refuse(collection: Draft, field: string | undefined, says: string, hint?: string): void {
    this.problems.push(schemaFault({ collection: collection.name, field }, ` ${says}.`, [], hint))
  }
}

const isScalar = (field: FieldDefinition): field is ScalarDefinition => Object.hasOwn(fieldTypes, field.type)

function emptyDraft(name: string, definition: CollectionDefinition): Draft {
  return {
    name,
    table: definition.table ?? name,
    dbSchema: definition.dbSchema,
    // Every collection gets its key in #keyAndSort, or the definition is refused; until then nothing reads it.
    key: undefined as unknown as ScalarField,
    fields: new Map(),
    sortField: undefined,
    isSingleton: definition.singleton ?? false,
    isVersioned: definition.versioned ?? false,
    note: definition.note,
  }
}
