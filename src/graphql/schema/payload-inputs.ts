// Inputs of payloads: items that are created or updated, with those inside them.
import {
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
} from 'graphql'
import { withMeaning } from './meaning.ts'
import { incrementName, type PayloadKind, payloadName } from './names/type-names.ts'
import type { CollectionOutline, PayloadOutline } from './outline/outline.ts'
import { scalars } from './scalars.ts'
import type { SchemaTypes } from './schema-types.ts'

/** Makes the input of what is created in a collection, updated there, or either of both. */
export function payloadInput(
  outline: CollectionOutline,
  kind: PayloadKind,
  types: SchemaTypes,
): GraphQLInputObjectType {
  const { type, [kind]: members = [] } = outline
  return inputOf(payloadName(type, kind), members, outline, types)
}

/** Makes the input of what an update adds to stored numbers. */
export const incrementInput = (outline: CollectionOutline, types: SchemaTypes): GraphQLInputObjectType =>
  inputOf(incrementName(outline.type), outline.increments ?? [], outline, types)

const inputOf = (
  name: string,
  members: readonly PayloadOutline[],
  { name: collection }: CollectionOutline,
  types: SchemaTypes,
): GraphQLInputObjectType =>
  new GraphQLInputObjectType({
    name,
    extensions: withMeaning({ collection }),
    fields: () =>
      Object.fromEntries(
        members
          // A field that has to be given is missed by its name, which a document need not have.
          .filter((member) => member.isNeeded || types.hasInput(member.name))
          .map((member) => [member.name, fieldOf(member, types)]),
      ),
  })

function fieldOf(member: PayloadOutline, types: SchemaTypes): GraphQLInputFieldConfig {
  const type = typeOf(member.type, types)
  return {
    type: member.isNeeded ? new GraphQLNonNull(type) : type,
    description: member.note,
    extensions: withMeaning({ field: member.field }),
  }
}

type InputValue = GraphQLInputObjectType | GraphQLScalarType

function typeOf(type: PayloadOutline['type'], types: SchemaTypes): InputValue | GraphQLList<InputValue> {
  const one = type.kind === 'nested' ? types.payload(type.target, type.action) : scalars[type.scalar]
  return type.isList ? new GraphQLList(one) : one
}
