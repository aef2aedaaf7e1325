// Inputs of conditions on one value, made of the tables of operators and functions. No caller has others, so all schemas share them.
import {
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
} from 'graphql'
import { type Family, familyRow } from '../../types/families.ts'
import { aggregateDocs, functionDocs, operatorDocs } from '../../vocabulary/docs.ts'
import { relatedAggregates } from '../../vocabulary/functions.ts'
import type { AnyOperator, OperandKind } from '../../vocabulary/operator.ts'
import { type OperatorName, operators, operatorsOf } from '../../vocabulary/operators.ts'
import { type FunctionKind, functionsIn } from './function-kinds.ts'
import { withMeaning } from './meaning.ts'
import { type ScalarName, scalars } from './scalars.ts'
import type { ConditionKind } from './value-scalars.ts'

interface ConditionForm {
  /** A family with the operators of the kind. */
  readonly family: Family
  readonly operand: ScalarName
  /** The scalar of both ends of a range. Absent = that of other operands. */
  readonly end?: ScalarName
}

const forms: Readonly<Record<ConditionKind, ConditionForm>> = {
  string: { family: 'text', operand: 'String' },
  id: { family: 'uuid', operand: 'ID' },
  number: { family: 'float', operand: 'GraphQLStringOrFloat' },
  big_int: { family: 'integer', operand: 'GraphQLBigInt' },
  boolean: { family: 'boolean', operand: 'Boolean' },
  // The installed base declares variables of these scalars.
  date: { family: 'timestamp', operand: 'String', end: 'GraphQLStringOrFloat' },
  json: { family: 'json', operand: 'JSON' },
  hash: { family: 'hash', operand: 'Hash' },
  geometry: { family: 'geometry', operand: 'GraphQLGeoJSON' },
  binary: { family: 'binary', operand: 'String' },
  equality: { family: 'other', operand: 'String' },
  presence: { family: 'opaque', operand: 'String' },
}

const operandTypes: Readonly<Record<OperandKind, (form: ConditionForm) => GraphQLInputType>> = {
  value: ({ operand }) => scalars[operand],
  values: ({ operand }) => new GraphQLList(scalars[operand]),
  pair: ({ operand, end = operand }) => new GraphQLList(scalars[end]),
  text: ({ operand }) => scalars[operand],
  geometry: ({ operand }) => scalars[operand],
  flag: () => scalars.Boolean,
  pattern: () => scalars.String,
}

const fieldInput = new GraphQLInputObjectType({
  name: 'field_filter_operators',
  fields: Object.fromEntries(
    operatorsOf('integer')
      .filter((name) => operators[name].operand === 'value')
      .map((name) => [
        name,
        {
          type: scalars.String,
          description: operatorDocs[name],
          extensions: withMeaning({ operator: name }),
        },
      ]),
  ),
})

export const conditionInputs = Object.fromEntries(
  Object.entries(forms).map(([kind, form]) => [
    kind,
    new GraphQLInputObjectType({
      name: `${kind}_filter_operators`,
      fields: Object.fromEntries([
        ...operatorsOf(form.family).flatMap((name) => operatorField(name, form)),
        ...jsonField(kind),
        ...fieldField(form),
      ]),
    }),
  ]),
) as Readonly<Record<ConditionKind, GraphQLInputObjectType>> // each kind has a form

type InputField = readonly [string, GraphQLInputFieldConfig]

function operatorField(name: OperatorName, form: ConditionForm): readonly InputField[] {
  const row: AnyOperator = operators[name]
  if (row.memoryOnly) return []
  const type = operandTypes[row.operand](form)
  return [[name, { type, description: operatorDocs[name], extensions: withMeaning({ operator: name }) }]]
}

function jsonField(kind: string): readonly InputField[] {
  if (kind !== 'json') return []
  const field = {
    type: scalars.GraphQLJsonFilter,
    description: 'Conditions on values inside the document, by their paths.',
    extensions: withMeaning({ operator: '_json' }),
  }
  return [['_json', field]]
}

function fieldField({ family }: ConditionForm): readonly InputField[] {
  if (!familyRow(family).groups.includes('distinct')) return []
  const field = {
    type: fieldInput,
    description: 'Compares with other fields of the item, by their names or paths.',
    extensions: withMeaning({ operator: '_field' }),
  }
  return [['_field', field]]
}

const functionKinds = ['date', 'datetime', 'time', 'count'] as const satisfies readonly FunctionKind[]

/** Inputs of conditions on functions of a value. Of a document only the count is compared: `_json` is for its values. */
const functionInputs = Object.fromEntries(
  functionKinds.map((kind) => [
    kind,
    new GraphQLInputObjectType({
      name: `${kind}_function_filter_operators`,
      fields: Object.fromEntries([
        ...functionsIn(kind).map(
          (name): InputField => [
            name,
            {
              type: conditionInputs.number,
              description: functionDocs[name],
              extensions: withMeaning({ function: name }),
            },
          ],
        ),
        ...(kind === 'count' ? relatedAggregates : []).map(
          (name): InputField => [
            name,
            {
              type: scalars.GraphQLJsonFilter,
              description: `${aggregateDocs[name]} Conditions by the fields of the related items.`,
              extensions: withMeaning({ function: name }),
            },
          ],
        ),
      ]),
    }),
  ]),
) as Readonly<Record<(typeof functionKinds)[number], GraphQLInputObjectType>> // each kind is in the list

export const functionInput = (kind: FunctionKind): GraphQLInputObjectType =>
  functionInputs[kind === 'json' ? 'count' : kind]

export const allConditionInputs: readonly GraphQLInputObjectType[] = [
  ...Object.values(conditionInputs),
  fieldInput,
  ...Object.values(functionInputs),
]
