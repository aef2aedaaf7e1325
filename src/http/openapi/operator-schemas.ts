// Operators on one value, by its family: the rows of the operator table that apply to it.
import { type Family, familyRow } from '../../types/families.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { junctionDocs, operatorDocs, quantifierDocs } from '../../vocabulary/docs.ts'
import { everything } from '../../vocabulary/family-groups.ts'
import { functions, relatedAggregates } from '../../vocabulary/functions.ts'
import type { OperandKind } from '../../vocabulary/operator.ts'
import { type OperatorName, operators, operatorsOf } from '../../vocabulary/operators.ts'
import { schemaNamed } from './component-names.ts'
import { operandOf } from './input-schema.ts'

/** Pseudo-family: a value inside a JSON document has the type of its operand. */
const inJson = 'inJson'
type SchemaSubject = Family | typeof inJson

const scalar: JsonSchema = { type: ['string', 'number', 'boolean'] }

const operandKinds: Readonly<Record<OperandKind, (value: JsonSchema) => JsonSchema>> = {
  value: (value) => value,
  values: (value) => ({ anyOf: [listOf(value), value, commaText] }),
  pair: (value) => ({ anyOf: [{ type: 'array', items: value, minItems: 2, maxItems: 2 }, commaText] }),
  text: () => scalar,
  geometry: () => schemaNamed('_operand.geometry'),
  flag: () => ({ enum: [true, false, 'true', 'false', '', null] }),
  pattern: () => ({ type: 'string' }),
}

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

const commaText = { type: 'string', description: 'Values between commas.' }

const takingNull: ReadonlySet<string> = new Set(['_eq', '_neq'] satisfies OperatorName[])

export const testsOf = (subject: SchemaSubject): JsonSchema => schemaNamed(`_tests.${subject}`)
/** Returns the schema of a value, which has to be equal, or of an object of operators. */
export const matchOf = (subject: SchemaSubject): JsonSchema => schemaNamed(`_match.${subject}`)

/** Returns three schemas for each family: its operators, an object of them with junctions, and the filter of a field; and that of fields as operands. */
export function conditionSchemas(): Readonly<Record<string, JsonSchema>> {
  const conditions = ([...everything, inJson] as const).flatMap(conditionsOn)
  return { '_operand.field': fieldName, ...Object.fromEntries(conditions) }
}

function conditionsOn(subject: SchemaSubject): [string, JsonSchema][] {
  const value = subject === inJson ? scalar : operandOf(subject)
  const condition = schemaNamed(`_condition.${subject}`)
  const joined = closed([testsOf(subject), ...(subject === 'json' ? [paths] : [])], junctionsOf(condition))
  return [
    [`_tests.${subject}`, { type: 'object', properties: testsIn(subject, value ?? {}) }],
    [`_condition.${subject}`, joined],
    [`_match.${subject}`, { anyOf: [...(value ? [value] : []), { type: 'null' }, condition] }],
  ]
}

function testsIn(subject: SchemaSubject, value: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const names = subject === inJson ? wordsInJson : operatorsOf(subject)
  // A key of several parts is a list itself, so neither it nor a text between commas is a list of them.
  const kinds = subject === 'tuple' ? { ...operandKinds, values: listOf } : operandKinds
  const isOfField = subject !== inJson && familyRow(subject).groups.includes('distinct')
  return Object.fromEntries(
    names
      .filter((name) => !('memoryOnly' in operators[name]))
      .map((name) => {
        const kind = operators[name].operand
        const plain = kinds[kind](value)
        const operand =
          kind === 'value' && isOfField ? { anyOf: [plain, schemaNamed('_operand.field')] } : plain
        const taken = takingNull.has(name) ? { anyOf: [operand, { type: 'null' }] } : operand
        return [name, { ...taken, description: operatorDocs[name] }]
      }),
  )
}

/** Another field in the place of a value. */
const fieldName: JsonSchema = {
  type: 'object',
  description: 'A field of the same kind, of the item itself or behind to-one relations.',
  properties: { $field: { type: 'string' } },
  required: ['$field'],
  additionalProperties: false,
}

const wordsInJson = [
  ...new Set((['text', 'boolean', 'json'] as const).flatMap((family) => operatorsOf(family))),
]

const paths: JsonSchema = {
  type: 'object',
  properties: {
    _json: {
      type: 'object',
      description: 'Values at paths of the document: { "size.w": { "_gt": 3 } }.',
      additionalProperties: { anyOf: [matchOf(inJson), { type: 'array', items: { type: 'object' } }] },
    },
  },
}

/** Returns the schema of an object with the properties of some schemas, and its own, and no others. */
export const closed = (of: readonly JsonSchema[], own: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  allOf: of,
  properties: own,
  unevaluatedProperties: false,
})

/** Returns the schemas of junctions. An empty branch of an alternative would make all of it true. */
export const junctionsOf = (filter: JsonSchema): Readonly<Record<string, JsonSchema>> => ({
  _and: { type: 'array', items: filter, description: junctionDocs._and },
  _or: { type: 'array', items: { ...filter, minProperties: 1 }, description: junctionDocs._or },
})

export const quantifiersOf = (filter: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(quantifierDocs).map(([word, doc]) => [word, { ...filter, description: doc }]),
  )

const numbering = Object.keys(functions).filter((name) => name !== 'json')

/** Keys that are no names of fields: functions of them, and undeclared relations. */
export const calls: Readonly<Record<string, JsonSchema>> = {
  [`^(?:${numbering.join('|')})\\(.+\\)$`]: matchOf('integer'),
  [`^(?:${['json', ...relatedAggregates].join('|')})\\(.+\\)$`]: matchOf(inJson),
  '^\\$FOLLOW\\(.+\\)$': { type: 'object' },
}
