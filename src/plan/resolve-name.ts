// The gate: the only file where a string of a query becomes a field. Unknown and forbidden names get the same error.
import { type EngineError, fault, type Path, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import type { Collection, Field, Schema } from '../schema/model.ts'

/** The field of that name, or the error for a name that does not exist or may not be used. */
export function fieldNamed(
  collection: Pick<Collection, 'name' | 'fields'>,
  name: string,
  path: Path,
  hintFor?: FieldHint,
): Field | EngineError {
  return collection.fields.get(name) ?? noField(collection, name, path, hintFor)
}

/** Returns the hint for an unknown name, from the names that the caller may use. */
type FieldHint = (name: string, legal: Iterable<string>) => string | undefined

export function noField(
  collection: Pick<Collection, 'name' | 'fields'>,
  name: string,
  path: Path,
  hintFor: FieldHint = suggestion,
): EngineError {
  return fault(
    'FORBIDDEN',
    `There is no field ${quote(name)} in "${collection.name}", or you may not use it.`,
    { path, hint: hintFor(name, collection.fields.keys()) },
  )
}

/** A collection named inside a query. */
export function collectionNamed(
  schema: Pick<Schema, 'collections'>,
  name: string,
  path: Path,
): Collection | EngineError {
  const found = schema.collections.get(name)
  if (found && !found.isApart) return found
  const legal = [...schema.collections.values()].filter(({ isApart }) => !isApart)
  return noCollection(
    name,
    legal.map((one) => one.name),
    path,
  )
}

function noCollection(name: string, legal: Iterable<string>, path: Path): EngineError {
  const hint = suggestion(name, legal)
  return fault('FORBIDDEN', `There is no collection ${quote(name)}, or you may not use it.`, { path, hint })
}

/** A collection named by a request as a whole. */
export function rootCollection(schema: Schema, name: string): Collection {
  const found = schema.collections.get(name)
  if (found) return found
  throw fault('NOT_FOUND', `There is no collection ${quote(name)}, or you may not see it.`, {
    hint: suggestion(name, schema.collections.keys()),
  })
}
