// Turns a coerced payload back into our own, whose names are those of fields.
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { isRecord } from '../../values/guards.ts'
import { meaningOf } from '../schema/meaning.ts'

/** Returns the payload that an argument stands for. */
export function payloadArgument(from: unknown, type: GraphQLInputType): unknown {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return from
  if (Array.isArray(from)) return from.map((one: unknown) => payloadArgument(one, named))
  if (!isRecord(from)) return from
  const fields = named.getFields()
  return Object.fromEntries(
    Object.entries(from).flatMap(([name, value]) => {
      const input = fields[name]
      const meaning = input && meaningOf(input)
      return meaning && 'field' in meaning
        ? [[meaning.field, payloadArgument(value, input.type)] as const]
        : []
    }),
  )
}
