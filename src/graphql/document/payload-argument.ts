// Turns coerced arguments of mutations back into payloads, whose names are those of fields.
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { fault } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import { meaningOf } from '../schema/meaning.ts'

/** Returns a payload with what the argument beside it adds to stored numbers. */
export function withIncrements(
  data: unknown,
  added: { readonly value: unknown; readonly type: GraphQLInputType } | undefined,
): unknown {
  const increments = added && payloadArgument(added.value, added.type)
  if (!isRecord(increments) || !isRecord(data)) return data
  for (const name of Object.keys(increments))
    if (Object.hasOwn(data, name))
      throw fault('INVALID_PAYLOAD', `"${name}" stands in "data" and in "inc": it is set, or added to.`, {
        path: ['inc', name],
      })
  const changes = Object.entries(increments).map(([name, by]) => [name, { _inc: by }] as const)
  return { ...data, ...Object.fromEntries(changes) }
}

export function payloadArgument(from: unknown, type: GraphQLInputType): unknown {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return from
  if (Array.isArray(from)) return from.map((one: unknown) => payloadArgument(one, named))
  if (!isRecord(from)) return from
  const fields = named.getFields()
  const payload: [name: string, value: unknown][] = []
  for (const name of Object.keys(from)) {
    const input = fields[name]
    const meaning = input && meaningOf(input)
    if (meaning && 'field' in meaning) payload.push([meaning.field, payloadArgument(from[name], input.type)])
  }
  return Object.fromEntries(payload)
}
