// Schemas of values in payloads and filters: the forms that the types of values accept, as far as a schema can express them.
import { mayBeIncremented } from '../../plan/write/increment.ts'
import type { ScalarField } from '../../schema/model.ts'
import { type Family, families, familyRow } from '../../types/families.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { elementType, type ValueType } from '../../types/field-types.ts'
import { geometryNamed, shapeOf } from '../../types/geometry.ts'
import { tupleSchema } from '../../types/tuple.ts'
import { variables } from '../../vocabulary/variables.ts'
import { schemaNamed } from './component-names.ts'
import { orNull } from './output-schema.ts'

/** A variable such as `$NOW(-1 day)` or `$CURRENT_USER.team`, allowed for any value of a filter. */
const variable: JsonSchema = {
  type: 'string',
  pattern: `^(?:${Object.keys(variables)
    .map((name) => `\\${name}`)
    .join('|')})(?:\\.[^()]+|\\(.*\\))?$`,
  description: 'A variable.',
}

/** An addition to a stored number. */
const increment: JsonSchema = {
  type: 'object',
  properties: { _inc: { type: ['number', 'string'] } },
  required: ['_inc'],
  additionalProperties: false,
  description: 'Adds to the stored number.',
}

export function schemasOfInput(): Readonly<Record<string, JsonSchema>> {
  const rows = (Object.keys(families) as Family[]).map((family) => [family, familyRow(family)] as const)
  return Object.fromEntries([
    ...rows.flatMap(([, { inputSchemas }]) =>
      Object.entries(inputSchemas).map(([name, schema]) => [`_given.${name}`, schema]),
    ),
    ['_increment', increment],
    ['_variable', variable],
    ...rows.flatMap(([family, { operandSchema }]) =>
      operandSchema ? [[`_operand.${family}`, { anyOf: [operandSchema, schemaNamed('_variable')] }]] : [],
    ),
  ])
}

export const operandOf = (family: Family): JsonSchema | undefined =>
  familyRow(family).operandSchema && schemaNamed(`_operand.${family}`)

/** Returns the schema of a field's value in an update, which may add to a stored number. */
export function changeSchema(field: ScalarField): JsonSchema {
  const value = inputSchema(field.value)
  return mayBeIncremented(field) ? { anyOf: [value, schemaNamed('_increment')] } : value
}

/** Returns the schema of a value that is not null. */
export const inputSchema = (value: ValueType): JsonSchema =>
  value.isArray ? { type: 'array', items: orNull(single(elementType(value))) } : single(value)

function single(value: ValueType): JsonSchema {
  if (value.parts) return tupleSchema(value.parts.map(({ type }) => single(type)))
  const { type, family, values, length } = value
  if (values) return { enum: values.flatMap(formsOf) }
  const shape = shapeOf(type)
  if (shape !== undefined) return { anyOf: [geometryNamed(shape), { type: 'string' }] }
  const known = schemaNamed(`_given.${familyRow(family).inputSchemaOf?.(value) ?? family}`)
  // Bytes have no characters to count.
  return length === undefined || family === 'binary' ? { ...known } : { ...known, maxLength: length }
}

/** Returns a text, and other values that are read as that text. */
const formsOf = (text: string): readonly unknown[] => [
  text,
  ...[Number(text), true, false].filter((form) => String(form) === text),
]
