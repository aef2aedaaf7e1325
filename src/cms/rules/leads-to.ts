import { readFollow } from '../../query/call.ts'
import { type Collection, isToMany, type Schema } from '../../schema/model.ts'

/** Context in which names of a filter are resolved. */
export interface RelationContext {
  readonly collection: Collection
  readonly schema: Schema
}

/** Returns the items behind a name; undefined if it is a value, or does not exist. */
export function leadsTo(
  key: string,
  { collection, schema }: RelationContext,
): { readonly collection: Collection; readonly isMany: boolean } | undefined {
  if (key.startsWith('$FOLLOW(')) {
    const followed = schema.collections.get(readFollow(key)?.collection ?? '')
    return followed && { collection: followed, isMany: true }
  }
  const [name = '', scope = ''] = key.split(':')
  const field = collection.fields.get(name)
  if (!field || field.kind === 'scalar') return undefined
  const target = field.kind === 'any' ? field.targets.get(scope) : field.target
  return target && { collection: target, isMany: isToMany(field) }
}
