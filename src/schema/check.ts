import { z } from 'zod'
import { type EngineError, fault, type Path, quote } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { deselections, type SchemaDefinition, specials } from './definition.ts'
import { type Family, type FieldType, fieldTypes, isTemporal, storages } from './field-types.ts'
import { wrongName } from './names.ts'

/** Every mistake that can be seen in the literal without following a name. */
export function checkShape(definition: unknown): readonly EngineError[] {
  const collections = z.record(z.string(), z.unknown()).safeParse(definition)
  if (!collections.success) return [schemaFault(undefined, 'A schema is an object of collections.')]
  const names = Object.keys(collections.data)
  if (names.length === 0) return [schemaFault(undefined, 'A schema needs at least one collection.')]
  return names.flatMap((name) => checkCollection(name, collections.data[name]))
}

/** A collection or a field of it: what a message has to name. */
export interface SchemaPlace {
  readonly collection: string
  readonly field?: string | undefined
}

/** A mistake at a place of the schema. The sentence goes on after the place's name. */
export function schemaFault(
  place: SchemaPlace | undefined,
  sentence: string,
  option: Path = [],
  hint?: string,
): EngineError {
  if (!place) return fault('INVALID_SCHEMA', sentence, { path: option, hint })
  const { collection, field } = place
  const [name, path] =
    field === undefined
      ? [`Collection ${quote(collection)}`, [collection]]
      : [`Field ${quote(field)} of collection ${quote(collection)}`, [collection, 'fields', field]]
  return fault('INVALID_SCHEMA', `${name}${sentence}`, { path: [...path, ...option], hint })
}

function checkCollection(name: string, definition: unknown): EngineError[] {
  const place = { collection: name }
  const bad = wrongName(name)
  if (bad) return [schemaFault(place, `: its name ${bad}.`)]
  const shape = collectionShape.safeParse(definition)
  if (!shape.success) return shape.error.issues.map((issue) => shapeFault(place, issue))
  const fields = Object.keys(shape.data.fields)
  if (fields.length === 0) return [schemaFault(place, ' has no fields.', ['fields'])]
  return fields.flatMap((field) => checkField({ collection: name, field }, shape.data.fields[field]))
}

function checkField(place: Required<SchemaPlace>, definition: unknown): EngineError[] {
  const bad = wrongName(place.field ?? '')
  if (bad) {
    const hint = 'Give the field another name, and the column with the option "column".'
    return [schemaFault(place, `: its name ${bad}.`, [], hint)]
  }
  const type = typed.safeParse(definition)
  if (!type.success) return [schemaFault(place, ' has no type.')]
  const named = type.data.type
  if (isFieldType(named)) {
    const scalar = scalarShape.safeParse(definition)
    return scalar.success
      ? checkScalar(place, scalar.data)
      : scalar.error.issues.map((issue) => shapeFault(place, issue))
  }
  if (!isRelationType(named)) return [unknownType(place, named)]
  const relation = relationShapes[named].safeParse(definition)
  return relation.success ? [] : relation.error.issues.map((issue) => shapeFault(place, issue))
}

const isFieldType = (type: string): type is FieldType => Object.hasOwn(fieldTypes, type)
const isRelationType = (type: string): type is keyof typeof relationShapes =>
  Object.hasOwn(relationShapes, type)

function unknownType(place: SchemaPlace, type: string): EngineError {
  const near = nearest(type, [...Object.keys(fieldTypes), ...Object.keys(relationShapes)])
  return schemaFault(place, `: there is no type ${quote(type)}.`, ['type'], near && `Did you mean "${near}"?`)
}

function shapeFault(place: SchemaPlace, issue: z.core.$ZodIssue): EngineError {
  const at = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys[0] ?? ''
    const near = nearest(unknown, optionNames)
    return schemaFault(
      place,
      `: there is no option ${quote(unknown)}.`,
      [...at, unknown],
      near && `Did you mean "${near}"?`,
    )
  }
  const option = issue.path.length > 0 ? ` option ${quote(issue.path.join('.'))}:` : ''
  return schemaFault(place, `:${option} ${issue.message}.`, at)
}

// Made once: zod compiles a shape when it first meets it, which takes longer than a thousand checks.
const typed = z.object({ type: z.string() })
const text = z.string().min(1)
const flag = z.boolean()
const size = z.int().min(0)
const storedOptions = {
  key: flag.optional(),
  nullable: flag.optional(),
  default: z.unknown().optional(),
  unique: flag.optional(),
  column: text.optional(),
  special: z.array(z.enum(specials)).optional(),
  validation: z.record(z.string(), z.unknown()).optional(),
  readonly: flag.optional(),
  note: z.string().optional(),
}
const scalarShape = z.strictObject({
  ...storedOptions,
  type: z.custom<FieldType>(),
  storage: z.enum(storages).optional(),
  conceal: flag.optional(),
  length: size.optional(),
  precision: size.optional(),
  scale: size.optional(),
  searchable: flag.optional(),
  values: z.array(z.string()).min(1).optional(),
  enumType: text.optional(),
  array: flag.optional(),
  generated: flag.optional(),
  srid: size.optional(),
  schema: z.custom((given) => typeof given === 'object' || typeof given === 'function').optional(),
})
const toMany = {
  sort: text.optional(),
  deselect: z.enum(deselections).optional(),
  note: z.string().optional(),
}
const through = z.strictObject({ type: z.string(), through: text, to: text, ...toMany })
const relationShapes = {
  m2o: z.strictObject({ ...storedOptions, type: z.string(), to: text }),
  o2m: z.strictObject({ type: z.string(), from: text, ...toMany }),
  m2m: through,
  m2a: through,
  any: z.strictObject({
    type: z.string(),
    to: z.array(text).min(1),
    by: text,
    nullable: flag.optional(),
    column: text.optional(),
    note: z.string().optional(),
  }),
}
const collectionShape = z.strictObject({
  table: text.optional(),
  dbSchema: text.optional(),
  singleton: flag.optional(),
  versioned: flag.optional(),
  sortField: text.optional(),
  note: z.string().optional(),
  fields: z.record(z.string(), z.unknown()),
})

const optionNames = [collectionShape, scalarShape, ...Object.values(relationShapes)].flatMap((shape) =>
  Object.keys(shape.shape),
)

type ScalarShape = z.infer<typeof scalarShape>

function checkScalar(place: SchemaPlace, field: ScalarShape): EngineError[] {
  const family: Family = fieldTypes[field.type].family
  return scalarRules
    .filter((rule) => rule.breaks(field, family))
    .map((rule) => schemaFault(place, `: ${rule.says}`, [rule.option]))
}

interface ScalarRule {
  readonly option: keyof ScalarDefinitionOptions
  readonly breaks: (field: ScalarShape, family: Family) => boolean
  readonly says: string
}
type ScalarDefinitionOptions = ScalarShape

const isText = (family: Family) => family === 'text'
const scalarRules: readonly ScalarRule[] = [
  {
    option: 'storage',
    breaks: ({ storage }, family) =>
      storage !== undefined && !isTemporal(family) && !(storage === 'text' && storedAsText.has(family)),
    says: 'only dates, times and moments have the option "storage"; a decimal and a uuid take "text".',
  },
  {
    option: 'values',
    breaks: (field, family) => field.values !== undefined && !isText(family),
    says: 'only string and text fields have the option "values".',
  },
  {
    option: 'values',
    breaks: ({ values }) => values !== undefined && new Set(values).size < values.length,
    says: 'the option "values" holds a text twice.',
  },
  {
    option: 'enumType',
    breaks: (field) => field.enumType !== undefined && field.values === undefined,
    says: 'the option "enumType" needs "values", the labels of the enum.',
  },
  {
    option: 'default',
    breaks: ({ values, default: given }) =>
      values !== undefined && given != null && !values.includes(String(given)),
    says: 'the option "default" is not among "values".',
  },
  {
    option: 'key',
    breaks: (field) => field.key === true && field.nullable === true,
    says: 'a key cannot be nullable.',
  },
  {
    option: 'key',
    breaks: (field, family) => field.key === true && (unfitForKeys.has(family) || field.array === true),
    says: 'a field of this type cannot be a key.',
  },
  {
    option: 'generated',
    breaks: (field) => field.generated === true && field.default !== undefined,
    says: 'a generated field has no default.',
  },
  {
    option: 'srid',
    breaks: (field, family) => field.srid !== undefined && family !== 'geometry',
    says: 'only geometry fields have the option "srid".',
  },
  {
    option: 'special',
    breaks: ({ special }, family) =>
      (special ?? []).some((name) => name.startsWith('date-') && !isTemporal(family)),
    says: 'the specials "date-created" and "date-updated" need a date, time or moment.',
  },
  {
    option: 'schema',
    breaks: (field, family) => field.schema !== undefined && family !== 'json',
    says: 'only json fields have the option "schema".',
  },
]
const storedAsText: ReadonlySet<Family> = new Set(['decimal', 'uuid'])
const unfitForKeys: ReadonlySet<Family> = new Set(['json', 'csv', 'hash', 'binary', 'geometry', 'boolean'])

export type CheckedDefinition = SchemaDefinition
