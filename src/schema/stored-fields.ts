// The fields that have a column. Classes, because a schema has thousands of them, and objects of one shape are made ten times faster.
import type {
  AnyDefinition,
  ManyToOneDefinition,
  ScalarDefinition,
  Special,
  StandardValidator,
} from './definition.ts'
import { fieldTypes } from './field-types.ts'
import type { AnyReference, Collection, ManyToOne, ScalarField, ValueType } from './model.ts'

/** Which collection a field belongs to, and what it is called there. */
export interface FieldPlace<Owner extends Collection = Collection> {
  readonly collection: Owner
  readonly field: string
}

abstract class StoredColumn {
  readonly name: string
  readonly collection: Collection
  readonly note: string | undefined
  readonly column: string
  readonly value: ValueType
  readonly isNullable: boolean
  readonly isKey: boolean
  readonly isUnique: boolean
  readonly isReadonly: boolean
  readonly default: unknown
  readonly isDefaulted: boolean
  readonly special: readonly Special[]
  readonly validation: object | undefined

  constructor(
    place: FieldPlace,
    field: ScalarDefinition | ManyToOneDefinition | AnyDefinition,
    value: ValueType,
  ) {
    const options: Partial<Omit<ManyToOneDefinition, 'type'>> = field.type === 'any' ? {} : field
    this.name = place.field
    this.collection = place.collection
    this.note = field.note
    this.column = field.column ?? place.field
    this.value = value
    this.isNullable = field.nullable ?? false
    this.isKey = options.key ?? false
    this.isUnique = options.unique ?? options.key ?? false
    this.isReadonly = options.readonly ?? false
    this.default = options.default
    this.isDefaulted = options.defaulted ?? false
    this.special = options.special ?? none
    this.validation = options.validation
  }
}

const none: readonly Special[] = []

export class StoredScalar extends StoredColumn implements ScalarField {
  readonly kind = 'scalar'
  readonly isConcealed: boolean
  readonly isGenerated: boolean
  readonly isSearchable: boolean
  readonly schema: StandardValidator | undefined

  constructor(place: FieldPlace, field: ScalarDefinition) {
    super(place, field, valueTypeOf(field))
    this.isConcealed = field.conceal === true || fieldTypes[field.type].family === 'hash'
    this.isGenerated = field.generated ?? false
    this.isSearchable = field.searchable ?? true
    this.schema = field.schema
  }
}

export class StoredLink extends StoredColumn implements ManyToOne {
  readonly kind = 'm2o'
  readonly target: Collection

  /** `value` is the type of the target's key. */
  constructor(place: FieldPlace, field: ManyToOneDefinition, target: Collection, value: ValueType) {
    super(place, field, value)
    this.target = target
  }
}

export class StoredReference extends StoredColumn implements AnyReference {
  readonly kind = 'any'
  readonly targets: ReadonlyMap<string, Collection>
  readonly by: ScalarField

  constructor(
    place: FieldPlace,
    field: AnyDefinition,
    targets: ReadonlyMap<string, Collection>,
    by: ScalarField,
  ) {
    super(place, field, textValue)
    this.targets = targets
    this.by = by
  }
}

export function valueTypeOf(field: ScalarDefinition): ValueType {
  return {
    type: field.type,
    // A list of anything is read, filtered and counted as JSON.
    family: field.array ? 'json' : fieldTypes[field.type].family,
    storage: field.storage,
    isArray: field.array ?? false,
    values: field.values,
    enumType: field.enumType,
    srid: field.srid,
    length: field.length,
    precision: field.precision,
    scale: field.scale,
    // Keys, and what the database counts by itself, are as large as the database makes them.
    isWide: (field.wide ?? false) || (field.key ?? false) || (field.defaulted ?? false),
  }
}

const textValue = valueTypeOf({ type: 'string' })
