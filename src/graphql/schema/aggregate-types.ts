// Types of aggregates: `articles_aggregated`, and what stands in it.
import { type GraphQLFieldConfig, GraphQLNonNull, GraphQLObjectType } from 'graphql'
import type { Family } from '../../types/families.ts'
import { type AggregateName, aggregates } from '../../vocabulary/aggregates.ts'
import { aggregateDocs } from '../../vocabulary/docs.ts'
import { numbers } from '../../vocabulary/family-groups.ts'
import { withMeaning } from './meaning.ts'
import { type AggregatePart, aggregatedName } from './names/type-names.ts'
import type {
  AnyOutline,
  CollectionOutline,
  MemberOutline,
  OneOutline,
  ValueOutline,
} from './outline/outline.ts'
import { type ScalarName, scalars } from './scalars.ts'
import type { SchemaTypes } from './schema-types.ts'

type ObjectField = GraphQLFieldConfig<unknown, unknown>

/** The types in which aggregates answer, in the order of the installed base. */
export const partOf = {
  count: 'count',
  countDistinct: 'count',
  avg: 'fields',
  sum: 'fields',
  avgDistinct: 'fields',
  sumDistinct: 'fields',
  min: 'extremes',
  max: 'extremes',
} as const satisfies Record<AggregateName, AggregatePart>

/** Fields that each type has: those of the aggregates that it is of. A document can be counted, but not apart from an equal one. */
const families: Readonly<Record<AggregatePart, readonly Family[]>> = {
  count: aggregates.count.families,
  fields: aggregates.sum.families,
  extremes: aggregates.min.families,
}

export function aggregatedType(outline: CollectionOutline, types: SchemaTypes): GraphQLObjectType {
  const { name, type } = outline
  return new GraphQLObjectType({
    name: aggregatedName(type),
    extensions: withMeaning({ collection: name }),
    fields: () => {
      const made = new Map<AggregatePart, GraphQLObjectType | undefined>()
      const typeOf = (part: AggregatePart) => {
        if (!made.has(part)) made.set(part, partType(part, outline, types))
        return made.get(part)
      }
      const requested = (Object.keys(partOf) as AggregateName[]).filter((aggregate) => types.has(aggregate))
      return {
        ...(types.has('group') && { group: groupField }),
        ...(types.has('countAll') && { countAll: countAllField }),
        ...Object.fromEntries(
          requested.flatMap((aggregate) => aggregateField(aggregate, typeOf(partOf[aggregate]))),
        ),
      }
    },
  })
}

const groupField: ObjectField = {
  type: scalars.JSON,
  description: 'The values by which the group was made; null without `groupBy`.',
  extensions: withMeaning({ isGroup: true }),
}

const countAllField: ObjectField = {
  type: new GraphQLNonNull(scalars.Int),
  description: 'The number of rows.',
  extensions: withMeaning({ isCountAll: true }),
}

function aggregateField(
  aggregate: AggregateName,
  type: GraphQLObjectType | undefined,
): readonly (readonly [string, ObjectField])[] {
  return type
    ? [[aggregate, { type, description: aggregateDocs[aggregate], extensions: withMeaning({ aggregate }) }]]
    : []
}

export const fieldsOf = (
  part: AggregatePart,
  members: readonly MemberOutline[],
): readonly AggregatedOutline[] =>
  members.filter(isAggregated).filter(({ family }) => families[part].includes(family))

/** Makes a type with the fields that some aggregates take; undefined if there are none. */
function partType(part: AggregatePart, { type, members = [] }: CollectionOutline, { has }: SchemaTypes) {
  const fields = fieldsOf(part, members)
  if (fields.length === 0) return undefined
  return new GraphQLObjectType({
    name: aggregatedName(type, part),
    fields: () =>
      Object.fromEntries(
        fields
          .filter(({ name }) => has(name))
          .map(({ name, field, note, ...form }) => [
            name,
            { type: results[part](form), description: note, extensions: withMeaning({ field }) },
          ]),
      ),
  })
}

interface Aggregated {
  readonly family: Family
  readonly scalar: ScalarName
}

type AggregatedOutline = (ValueOutline | AnyOutline | OneOutline) & Aggregated

function isAggregated(member: MemberOutline): member is AggregatedOutline {
  return member.kind !== 'many' && member.kind !== 'key' && member.family !== undefined
}

/** Types of results. Numbers stay `Float`, as in the installed base; other values are what their fields are. */
const results: Readonly<Record<AggregatePart, (form: Aggregated) => ObjectField['type']>> = {
  count: () => new GraphQLNonNull(scalars.Int),
  fields: () => scalars.Float,
  extremes: ({ family, scalar }) => (isNumber(family) ? scalars.Float : scalars[scalar]),
}

const isNumber = (family: Family): boolean => numbers.some((number) => number === family)
