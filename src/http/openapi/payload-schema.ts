// Schemas of items in payloads: to be created, to be updated, and nested in others.
import type { VisibleActions } from '../../access/visible-actions.ts'
import { needsValue } from '../../plan/write/defaults.ts'
import {
  type AnyReference,
  type Collection,
  type Field,
  isRowNumber,
  isStored,
  isToMany,
  keyFieldsOf,
  keyOf,
  referencedOf,
  type StoredField,
  type ToMany,
} from '../../schema/model.ts'
import { isConcealed, isEngines, isGenerated, orNull } from '../../schema/output-schema.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { masked } from '../../types/hash.ts'
import { partName, partOf } from './component-names.ts'
import { changeSchema, inputSchema } from './input-schema.ts'
import { unique } from './item-schema.ts'

export type VisibleByName = ReadonlyMap<string, VisibleActions>

/** Returns the schemas of the items that a caller may write to a collection. */
export function payloadSchemas(
  visible: VisibleActions,
  all: VisibleByName,
): Readonly<Record<string, JsonSchema>> {
  const { name } = visible
  const schemas: Record<string, JsonSchema> = {}
  if (visible.may('create')) {
    // Separate from the required fields, because an item that is nested in another one need not name the foreign key.
    schemas[partName(name, 'new')] = fieldsOf(visible, 'create', all)
    schemas[partName(name, 'create')] = { ...needing(partOf(name, 'new'), requiredOf(visible)) }
  }
  if (visible.may('update')) schemas[partName(name, 'update')] = fieldsOf(visible, 'update', all)
  const nested = nestedIn(visible, undefined)
  if (nested.length > 0) schemas[partName(name, 'nested')] = { anyOf: nested }
  return schemas
}

const needing = (schema: JsonSchema, required: readonly string[]): JsonSchema =>
  required.length === 0 ? schema : { allOf: [schema], required }

type PayloadWriting = 'create' | 'update'

function fieldsOf(visible: VisibleActions, action: PayloadWriting, all: VisibleByName): JsonSchema {
  const fields = visible.writable(action).filter((field) => isNameable(field, all))
  const names = new Set(fields.map(({ name }) => name))
  const keys = keyFieldsSeen(visible).filter(({ name }) => action === 'update' && !names.has(name))
  const references = fields.filter((field) => field.kind === 'any').filter(({ by }) => names.has(by.name))
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...fields.map((field) => [field.name, memberOf(field, visible, action, all)]),
      ...keys.map(({ name, value }) => [name, inputSchema(value)]),
    ]),
    // A hook may remove other properties again.
    ...(!visible.mayChange(action) && { additionalProperties: false }),
    ...(references.length > 0 && {
      dependentSchemas: Object.fromEntries(
        references.map((field) => [field.name, besideReference(field, all)]),
      ),
    }),
  }
}

function keyFieldsSeen({ seen, whole }: VisibleActions): readonly StoredField[] {
  const fields = keyFieldsOf(whole)
  return fields.every(({ name }) => seen?.fields.has(name)) ? fields : []
}

/** True if a field may be given. Read-only fields are refused, and a relation to a collection that is neither visible nor writable is
 *  useless. */
function isNameable(field: Field, all: VisibleByName): boolean {
  if (isToMany(field)) return all.get(field.target.name)?.isReadonly === false
  if (isEngines(field)) return true
  return !field.isReadonly && !isGenerated(field)
}

function memberOf(
  field: Field,
  visible: VisibleActions,
  action: PayloadWriting,
  all: VisibleByName,
): JsonSchema {
  const schema = isToMany(field)
    ? changesOf(field, all)
    : isStored(field)
      ? storedOf(field, visible, action, all)
      : anyOf([inputSchema(field.value), ...nestedItem(field.target, all)])
  return field.note === undefined ? schema : { ...schema, description: field.note }
}

function storedOf(
  field: StoredField,
  visible: VisibleActions,
  action: PayloadWriting,
  all: VisibleByName,
): JsonSchema {
  if (isEngines(field))
    return { readOnly: true, description: 'The engine fills it in; payloads cannot set it.' }
  const isFilled = action === 'create' && field.special.includes('uuid')
  const value = heldBy(field, action, all)
  const taken = field.isNullable || isFilled ? orNull(value) : value
  const start = defaultOf(field, visible)
  if (action === 'update') return concealedToo(field, taken)
  const whole = isNeeded(field, visible) ? concealedNot(field, taken) : concealedToo(field, taken)
  return start === undefined ? whole : { ...whole, default: start }
}

function heldBy(field: StoredField, action: PayloadWriting, all: VisibleByName): JsonSchema {
  if (field.isKey && action === 'update') return inputSchema(field.value)
  if (field.kind === 'scalar') return action === 'update' ? changeSchema(field) : inputSchema(field.value)
  if (field.kind === 'm2o')
    return anyOf([inputSchema(referencedOf(field).value), ...nestedItem(field.target, all)])
  const seen = [...field.targets.values()].filter(({ name }) => all.has(name))
  const keys = unique(seen.map((target) => inputSchema(keyOf(target).value)))
  return anyOf([...keys, ...seen.flatMap((target) => nestedItem(target, all))])
}

const anyOf = (schemas: readonly JsonSchema[]): JsonSchema => {
  const [only, ...others] = schemas
  return only === undefined ? {} : others.length === 0 ? only : { anyOf: schemas }
}

/** Returns a schema that also accepts the mask, which changes nothing when it is sent back. */
const concealedToo = (field: StoredField, schema: JsonSchema): JsonSchema =>
  isConcealed(field) ? { anyOf: [schema, masked] } : schema

/** Returns a schema that refuses the mask, which is no value for a required field. */
const concealedNot = (field: StoredField, schema: JsonSchema): JsonSchema =>
  isConcealed(field) ? { allOf: [schema], not: masked } : schema

/** Returns a default if it is plain data. That of a concealed field is a secret. */
function defaultOf(field: StoredField, { seen }: VisibleActions): string | number | boolean | undefined {
  const { default: value } = field
  if (isConcealed(field) || !seen?.fields.has(field.name)) return undefined
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined
}

function isNeeded(field: Field, visible: VisibleActions): boolean {
  if (!isStored(field) || visible.mayChange('create') || visible.isPreset(field)) return false
  // The engine sets special fields, even if a hook does not.
  return needsValue(field) && field.special.length === 0 && (field.default ?? undefined) === undefined
}

const requiredOf = (visible: VisibleActions): readonly string[] =>
  visible
    .writable('create')
    .filter((field) => isNeeded(field, visible))
    .map(({ name }) => name)

const nestedItem = ({ name }: Collection, all: VisibleByName): readonly JsonSchema[] => {
  const visible = all.get(name)
  return visible && nestedIn(visible, undefined).length > 0 ? [partOf(name, 'nested')] : []
}

/** Returns the schemas of an item inside another: created, or updated if it exists already. `owner`: its foreign key to that. */
function nestedIn(visible: VisibleActions, owner: string | undefined): readonly JsonSchema[] {
  return [...creation(visible, owner), ...nestedChange(visible)]
}

/** Inside of another item, the number of a row names none. */
const nestedChange = (visible: VisibleActions): readonly JsonSchema[] =>
  isRowNumber(visible.whole.key) ? [] : change(visible)

const creation = (visible: VisibleActions, owner: string | undefined): readonly JsonSchema[] =>
  visible.may('create')
    ? [
        owner === undefined
          ? partOf(visible.name, 'create')
          : needing(
              partOf(visible.name, 'new'),
              requiredOf(visible).filter((name) => name !== owner),
            ),
      ]
    : []

/** Returns the schema of an update, which needs the key. */
function change(visible: VisibleActions): readonly JsonSchema[] {
  const keys = keyFieldsSeen(visible).map(({ name }) => name)
  return visible.may('update') && keys.length > 0 ? [needing(partOf(visible.name, 'update'), keys)] : []
}

export const keyedItem = (visible: VisibleActions): JsonSchema | undefined => change(visible)[0]

/** Returns the schema of children: the complete list, or its changes. */
function changesOf({ target, foreign }: ToMany, all: VisibleByName): JsonSchema {
  const visible = all.get(target.name)
  const keys = isRowNumber(target.key) ? [] : [target.key ? inputSchema(target.key.value) : {}]
  const list = (schemas: readonly JsonSchema[]) => ({
    type: ['array', 'null'],
    ...(schemas.length === 0 ? { maxItems: 0 } : { items: anyOf(schemas) }),
  })
  return {
    anyOf: [
      list([...keys, ...(visible ? nestedIn(visible, foreign.name) : [])]),
      {
        type: 'object',
        properties: {
          create: list(visible ? creation(visible, foreign.name) : []),
          update: list(visible ? nestedChange(visible) : []),
          delete: list(keys),
        },
        additionalProperties: false,
      },
    ],
  }
}

/** Returns the schema of a reference to any collection, which needs the name of the collection beside it. */
function besideReference({ name, by, targets }: AnyReference, all: VisibleByName): JsonSchema {
  const names = [...targets.keys()].filter((target) => all.has(target))
  return {
    anyOf: [
      { properties: { [name]: { type: 'null' } } },
      { required: [by.name], properties: { [by.name]: { enum: names } } },
    ],
  }
}
