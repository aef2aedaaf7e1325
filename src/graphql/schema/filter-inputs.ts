// Inputs of filters: conditions on the fields of a collection, and on what is related to its items.
import {
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
} from 'graphql'
import { junctionDocs, quantifierDocs } from '../../vocabulary/docs.ts'
import { conditionInputs, functionInput } from './condition-inputs.ts'
import { functionsOf } from './item-types.ts'
import { type NameMeaning, withMeaning } from './meaning.ts'
import { armMember, filterName, functionsMember, quantifierName } from './names/type-names.ts'
import type { CollectionOutline, MemberOutline } from './outline/outline.ts'
import type { SchemaTypes } from './schema-types.ts'

export const filterInput = (outline: CollectionOutline, types: SchemaTypes): GraphQLInputObjectType =>
  input(filterName(outline.type), outline, types, () => [])

/** Makes the input of filters on related items of a collection: without a quantifier it means that there is one. */
export const quantifierInput = (outline: CollectionOutline, types: SchemaTypes): GraphQLInputObjectType =>
  input(quantifierName(outline.type), outline, types, () => {
    const type = types.filter(outline.name)
    return [
      ['_some', condition(type, { quantifier: '_some' }, quantifierDocs._some)],
      ['_none', condition(type, { quantifier: '_none' }, quantifierDocs._none)],
    ]
  })

type InputField = readonly [string, GraphQLInputFieldConfig]

function input(
  name: string,
  outline: CollectionOutline,
  types: SchemaTypes,
  more: () => readonly InputField[],
): GraphQLInputObjectType {
  const { members = [] } = outline
  return new GraphQLInputObjectType({
    name,
    extensions: withMeaning({ collection: outline.name }),
    fields: () => {
      const list = new GraphQLList(types.filter(outline.name))
      return Object.fromEntries<GraphQLInputFieldConfig>([
        ...members.flatMap((member) => [...onMember(member, types), ...onFunctions(member, types)]),
        ['_and', condition(list, { junction: '_and' }, junctionDocs._and)],
        ['_or', condition(list, { junction: '_or' }, junctionDocs._or)],
        ...more(),
        ...members.flatMap((member) => onArms(member, types)),
      ])
    },
  })
}

const condition = (
  type: GraphQLInputType,
  meaning: NameMeaning,
  description?: string,
): GraphQLInputFieldConfig => ({ type, description, extensions: withMeaning(meaning) })

function onMember(member: MemberOutline, types: SchemaTypes): readonly InputField[] {
  const { kind, name } = member
  if (kind === 'key' || kind === 'any' || !types.hasInput(name)) return []
  const meaning = { field: member.field }
  if (kind === 'value') return [[name, condition(conditionInputs[member.condition], meaning, member.note)]]
  if (!types.inputLeadsOn()) return []
  const related = kind === 'one' ? types.filter(member.target) : types.quantifier(member.target)
  return [[name, condition(related, meaning, member.note)]]
}

function onFunctions(member: MemberOutline, { hasInput }: SchemaTypes): readonly InputField[] {
  const kind = functionsOf(member)
  const name = functionsMember(member.name)
  if (!kind || member.kind === 'key' || !hasInput(name)) return []
  return [[name, condition(functionInput(kind), { functionsOf: member.field })]]
}

/** Returns conditions on items behind a reference to several collections, one for each. */
function onArms(member: MemberOutline, types: SchemaTypes): readonly InputField[] {
  if (member.kind !== 'any' || !types.inputLeadsOn()) return []
  return member.targets.flatMap((arm): readonly InputField[] => {
    const name = armMember(member.name, types.outlineOf(arm).type)
    if (!types.hasInput(name)) return []
    return [[name, condition(types.filter(arm), { field: member.field, arm })]]
  })
}
