// Schemas of values in payloads and filters: the forms that the types of values accept, where a schema can express them.
import { mayBeChanged } from '../../plan/write/document-change.ts'
import { mayBeIncremented } from '../../plan/write/increment.ts'
import { inputNameOf, inputSchemaBy } from '../../schema/input-schema.ts'
import type { ScalarField } from '../../schema/model.ts'
import { type Family, families, familyRow } from '../../types/families.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { geometryNamed, shapeOf } from '../../types/geometry.ts'
import { variables } from '../../vocabulary/variables.ts'
import { schemaNamed } from './component-names.ts'

/** A variable such as `$NOW(-1 day)` or `$CURRENT_USER.team`, allowed for any value of a filter. */
const variable: JsonSchema = {
  type: 'string',
  pattern: `^(?:${Object.keys(variables)
    .map((name) => `\\${name}`)
    .join('|')})(?:\\.[^()]+|\\(.*\\))?$`,
  description: 'A variable.',
}

const increment: JsonSchema = {
  type: 'object',
  properties: { _inc: { type: ['number', 'string'] } },
  required: ['_inc'],
  additionalProperties: false,
  description: 'Adds to the stored number.',
}

/** A change of a part of a stored document, or a document that looks like one. */
const documentChange: JsonSchema = {
  type: 'object',
  properties: {
    _merge: { type: 'object', description: 'Merges into the stored object, by RFC 7396.' },
    _set: { type: 'object', description: 'Sets values at paths of the stored object.' },
    $value: { description: 'The document as it is.' },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
}

export function schemasOfInput(): Readonly<Record<string, JsonSchema>> {
  const rows = (Object.keys(families) as Family[]).map((family) => [family, familyRow(family)] as const)
  return Object.fromEntries([
    ...rows.flatMap(([, { inputSchemas }]) =>
      Object.entries(inputSchemas).map(([name, schema]) => [`_given.${name}`, schema]),
    ),
    ['_increment', increment],
    ['_documentChange', documentChange],
    ['_variable', variable],
    ...rows.flatMap(([family, { operandSchema }]) =>
      operandSchema ? [[`_operand.${family}`, { anyOf: [operandSchema, schemaNamed('_variable')] }]] : [],
    ),
  ])
}

export const operandOf = (family: Family): JsonSchema | undefined =>
  familyRow(family).operandSchema && schemaNamed(`_operand.${family}`)

/** Returns the schema of a field's value in an update, which may add to a stored number, or change a part of a document. */
export function changeSchema(field: ScalarField): JsonSchema {
  const value = inputSchema(field.value)
  if (mayBeChanged(field)) return { anyOf: [value, schemaNamed('_documentChange')] }
  return mayBeIncremented(field) ? { anyOf: [value, schemaNamed('_increment')] } : value
}

/** Returns the schema of a value that is not null. */
export const inputSchema = (value: ValueType): JsonSchema => inputSchemaBy(value, givenSchema)

function givenSchema(value: ValueType): JsonSchema {
  const shape = shapeOf(value.type)
  return shape === undefined
    ? schemaNamed(`_given.${inputNameOf(value)}`)
    : { anyOf: [geometryNamed(shape), { type: 'string' }] }
}
