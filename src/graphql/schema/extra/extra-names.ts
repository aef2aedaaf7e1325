import { fault, quote } from '../../../errors/errors.ts'
import type { Schema } from '../../../schema/model.ts'
import type { CollectionNames, SchemaNames } from '../names/names.ts'
import { functionsMember, rootsOf } from '../names/type-names.ts'
import type { Extensions } from './extensions.ts'

/** Refuses extra fields whose names a schema has already, whether or not they are visible. */
export function checkExtraNames(
  { queries, fields }: Extensions,
  names: SchemaNames,
  { collections }: Schema,
): void {
  if (queries.size === 0 && fields.size === 0) return
  const roots = new Set(
    [...names.of].flatMap(([name, { type }]) => rootsOf(type, collections.get(name)?.isSingleton ?? false)),
  )
  for (const name of queries.keys())
    if (roots.has(`Query.${name}`)) throw taken(['extend', 'queries', name], name)
  for (const [collection, extra] of fields) {
    const known = names.of.get(collection)
    if (!known)
      throw fault(
        'INVALID_OPTIONS',
        `${quote(collection)} is left out of GraphQL, and has no fields there.`,
        {
          path: ['extend', 'fields', collection],
          hint: `Give it a name: names: { rename: { ${JSON.stringify(collection)}: … } }`,
        },
      )
    const members = membersOf(known)
    for (const name of extra.keys())
      if (members.has(name)) throw taken(['extend', 'fields', collection, name], name)
  }
}

const membersOf = ({ fields, functions, key }: CollectionNames): ReadonlySet<string> =>
  new Set([
    ...fields.values(),
    ...[...functions].map((field) => functionsMember(fields.get(field) ?? field)),
    ...(key === undefined ? [] : [key]),
  ])

const taken = (path: readonly string[], name: string) =>
  fault('INVALID_OPTIONS', `There is a field ${quote(name)} already.`, {
    path,
    hint: 'Give it another name.',
  })
