// Types whose members are functions of a value: `date_functions`. All schemas share them, but those of JSON fields, which are called after the
// fields, as in the installed base.
import { type GraphQLFieldConfig, GraphQLNonNull, GraphQLObjectType } from 'graphql'
import { aggregateDocs, functionDocs } from '../../vocabulary/docs.ts'
import {
  type FunctionName,
  type RelatedAggregateName,
  relatedAggregates,
} from '../../vocabulary/functions.ts'
import { type FunctionKind, functionsIn } from './function-kinds.ts'
import { withMeaning } from './meaning.ts'
import { scalars } from './scalars.ts'

const sharedKinds = ['date', 'datetime', 'time', 'count'] as const satisfies readonly FunctionKind[]

export const functionTypes = Object.fromEntries(
  sharedKinds.map((kind) => [kind, functionsType(`${kind}_functions`, kind)]),
) as Readonly<Record<(typeof sharedKinds)[number], GraphQLObjectType>> // each kind is in the list

export function functionsType(name: string, kind: FunctionKind): GraphQLObjectType {
  return new GraphQLObjectType({
    name,
    fields: Object.fromEntries([
      ...functionsIn(kind).map((one) => [one, functionField(one, kind)]),
      ...(kind === 'count' ? relatedAggregates.map((one) => [one, aggregateField(one)]) : []),
    ]),
  })
}

/** An aggregate of a field of related items, of any type: all relations share it. */
function aggregateField(name: RelatedAggregateName): GraphQLFieldConfig<unknown, unknown> {
  return {
    description: aggregateDocs[name],
    extensions: withMeaning({ function: name }),
    type: scalars.JSON,
    args: {
      field: { type: new GraphQLNonNull(scalars.String), description: 'A field of the related items.' },
    },
  }
}

function functionField(name: FunctionName, kind: FunctionKind): GraphQLFieldConfig<unknown, unknown> {
  const about = { description: functionDocs[name], extensions: withMeaning({ function: name }) }
  if (name === 'json')
    return {
      ...about,
      type: scalars.JSON,
      args: {
        path: { type: new GraphQLNonNull(scalars.String), description: 'A path: `size.w`, `tags[0]`.' },
      },
    }
  // A document may be missing, and then has no count; related items are counted in any case.
  return { ...about, type: kind === 'count' ? new GraphQLNonNull(scalars.Int) : scalars.Int }
}
