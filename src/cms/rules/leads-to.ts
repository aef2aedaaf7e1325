import { readFollow } from '../../query/call.ts'
import { type Collection, isToMany, type Schema } from '../../schema/model.ts'

/** Where a name of a filter is looked up. */
export interface RelationGround {
  readonly collection: Collection
  readonly schema: Schema
}

/** The items that a name leads to; undefined where it leads to a value, or nowhere. */
export function leadsTo(
  key: string,
  { collection, schema }: RelationGround,
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
