// Inputs of conditions on groups: `articles_aggregated_having`, with the names that `articles_aggregated` has.
import { type GraphQLInputFieldConfig, GraphQLInputObjectType, GraphQLList } from 'graphql'
import type { AggregateName } from '../../vocabulary/aggregates.ts'
import { aggregateDocs, junctionDocs } from '../../vocabulary/docs.ts'
import { fieldsOf, partOf } from './aggregate-types.ts'
import { conditionInputs } from './condition-inputs.ts'
import { type NameMeaning, withMeaning } from './meaning.ts'
import { type AggregatePart, havingName } from './names/type-names.ts'
import type { CollectionOutline } from './outline/outline.ts'
import type { SchemaTypes } from './schema-types.ts'
import { type ConditionKind, conditionOf, type ValueForm } from './value-scalars.ts'

export function havingInput(outline: CollectionOutline, types: SchemaTypes): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name: havingName(outline.type),
    extensions: withMeaning({ collection: outline.name }),
    fields: () => {
      const list = new GraphQLList(types.having(outline.name))
      const inputs = new Map<AggregatePart, GraphQLInputObjectType | undefined>()
      const inputOf = (part: AggregatePart) => {
        if (!inputs.has(part)) inputs.set(part, partInput(part, outline, types))
        return inputs.get(part)
      }
      const named = (Object.keys(partOf) as AggregateName[]).filter((name) => types.hasInput(name))
      return Object.fromEntries([
        ...(types.hasInput('countAll') ? [countAllField] : []),
        ...named.flatMap((name) => aggregateField(name, inputOf(partOf[name]))),
        ['_and', condition(list, { junction: '_and' }, junctionDocs._and)],
        ['_or', condition(list, { junction: '_or' }, junctionDocs._or)],
      ])
    },
  })
}

type InputField = readonly [string, GraphQLInputFieldConfig]

const condition = (
  type: GraphQLInputFieldConfig['type'],
  meaning: NameMeaning,
  description: string | undefined,
): GraphQLInputFieldConfig => ({ type, description, extensions: withMeaning(meaning) })

const countAllField: InputField = [
  'countAll',
  condition(conditionInputs.number, { isCountAll: true }, 'The number of rows.'),
]

const aggregateField = (
  aggregate: AggregateName,
  type: GraphQLInputObjectType | undefined,
): readonly InputField[] =>
  type ? [[aggregate, condition(type, { aggregate }, aggregateDocs[aggregate])]] : []

/** Makes an input with the fields that some aggregates take; undefined if there are none. */
function partInput(
  part: AggregatePart,
  { type, members = [] }: CollectionOutline,
  { hasInput }: SchemaTypes,
): GraphQLInputObjectType | undefined {
  const fields = fieldsOf(part, members)
  if (fields.length === 0) return undefined
  return new GraphQLInputObjectType({
    name: havingName(type, part),
    fields: () =>
      Object.fromEntries(
        fields
          .filter(({ name }) => hasInput(name))
          .map(({ name, field, note, ...form }) => [
            name,
            condition(conditionInputs[kinds[part](form)], { field }, note),
          ]),
      ),
  })
}

const kinds: Readonly<Record<AggregatePart, (form: Pick<ValueForm, 'family' | 'scalar'>) => ConditionKind>> =
  {
    count: () => 'number',
    fields: () => 'number',
    extremes: conditionOf,
  }
