import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLUnionType,
} from 'graphql'
import { unreachable } from '../../errors/errors.ts'
import { extraFields } from './extra/extra-fields.ts'
import type { FunctionKind } from './function-kinds.ts'
import { functionsType, functionTypes } from './function-types.ts'
import { levelArguments, listArguments } from './list-arguments.ts'
import { withMeaning } from './meaning.ts'
import { functionsMember, jsonFunctionsName, unionName, versionName } from './names/type-names.ts'
import type { CollectionOutline, KeyOutline, MemberOutline, ValueOutline } from './outline/outline.ts'
import { scalars } from './scalars.ts'
import type { SchemaTypes } from './schema-types.ts'

export function itemType(outline: CollectionOutline, types: SchemaTypes): GraphQLObjectType {
  const { name, type, note, members = [] } = outline
  const hasCursor = outline.hasKey && !outline.isSingleton && members.length > 0
  return new GraphQLObjectType({
    name: type,
    description: note,
    extensions: withMeaning({ collection: name }),
    fields: () =>
      Object.fromEntries([
        ...members.flatMap((member) => fieldsOf(member, name, types)),
        ...(hasCursor ? [[cursorMember, cursorField] as const] : []),
        ...extraFields(outline, types),
      ]),
  })
}

/** The place of an item in its list, by a name that no field has. */
const cursorMember = '_cursor'
const cursorField: ObjectField = { type: scalars.String, extensions: withMeaning({ isCursor: true }) }

/** Makes the type of the versions of a collection's items: relations in them are what was saved, and not items. */
export function versionType(outline: CollectionOutline, { has }: SchemaTypes): GraphQLObjectType {
  const { name, type, members = [] } = outline
  return new GraphQLObjectType({
    name: versionName(type),
    description: `A version of an item of "${type}": relations are the changes that were saved.`,
    extensions: withMeaning({ collection: name }),
    fields: () =>
      Object.fromEntries(
        members
          .filter(({ name, kind }) => kind !== 'key' && has(name))
          .map((member) => [member.name, versionField(member)]),
      ),
  })
}

type ObjectField = GraphQLFieldConfig<unknown, unknown>

function fieldsOf(
  member: MemberOutline,
  collection: string,
  types: SchemaTypes,
): readonly (readonly [string, ObjectField])[] {
  const functions = functionsOf(member)
  const called = functionsMember(member.name)
  return [
    ...(types.has(member.name) && (isFlat(member) || types.leadsOn())
      ? [[member.name, memberField(member, collection, types)] as const]
      : []),
    ...(functions && member.kind !== 'key' && types.has(called)
      ? [[called, functionsField(member.field, functions, collection, types)] as const]
      : []),
  ]
}

const isFlat = ({ kind }: MemberOutline): boolean => kind === 'key' || kind === 'value'

function memberField(member: MemberOutline, collection: string, types: SchemaTypes): ObjectField {
  if (member.kind === 'key')
    return {
      type: member.isSure ? new GraphQLNonNull(scalars.ID) : scalars.ID,
      description: 'The key as one text: its parts, with commas between them.',
      extensions: withMeaning({ isKey: true }),
    }
  const about = { description: member.note, extensions: withMeaning({ field: member.field }) }
  if (member.kind === 'value') return { ...about, type: valueType(member, member.isSure) }
  if (member.kind === 'any') return { ...about, type: types.union(collection, member.field) }
  const item = types.item(member.target)
  const args = (member.kind === 'one' ? levelArguments : listArguments)(types.filter(member.target))
  const type = member.kind === 'one' ? item : new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(item)))
  return { ...about, args, type }
}

function versionField(member: MemberOutline): ObjectField {
  if (member.kind === 'key') throw unreachable('a key of several parts in a version')
  const type = member.kind === 'value' ? valueType(member, false) : scalars.JSON
  return { type, description: member.note, extensions: withMeaning({ field: member.field }) }
}

function valueType({ scalar, isList }: ValueOutline, isSure: boolean): GraphQLOutputType {
  const type = isList ? new GraphQLList(scalars[scalar]) : scalars[scalar]
  return isSure ? new GraphQLNonNull(type) : type
}

export function functionsOf(member: MemberOutline): FunctionKind | undefined {
  if (member.kind === 'many') return member.hasCount ? 'count' : undefined
  return member.kind === 'value' ? member.functions : undefined
}

function functionsField(
  field: string,
  kind: FunctionKind,
  collection: string,
  types: SchemaTypes,
): ObjectField {
  const type = kind === 'json' ? types.jsonFunctions(collection, field) : functionTypes[kind]
  return { type, extensions: withMeaning({ functionsOf: field }) }
}

export function jsonFunctionsType(outline: CollectionOutline, field: string): GraphQLObjectType {
  return functionsType(jsonFunctionsName(outline.type, memberNamed(outline, field).name), 'json')
}

/** Makes the type of what a reference to several collections leads to. */
export function unionType(outline: CollectionOutline, field: string, types: SchemaTypes): GraphQLUnionType {
  const member = memberNamed(outline, field)
  const arms = member.kind === 'any' ? member.targets : []
  const nameOf = (arm: string) => types.outlineOf(arm).type
  return new GraphQLUnionType({
    name: unionName(outline.type, member.name),
    extensions: withMeaning({ arms: Object.fromEntries(arms.map((arm) => [nameOf(arm), arm])) }),
    types: () => arms.filter((arm) => types.has(nameOf(arm))).map((arm) => types.item(arm)),
  })
}

function memberNamed(
  { name, members = [] }: CollectionOutline,
  field: string,
): Exclude<MemberOutline, KeyOutline> {
  for (const member of members) if (member.kind !== 'key' && member.field === field) return member
  throw unreachable(`${name} has no member for ${field}`)
}
