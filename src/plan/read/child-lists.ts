import { type EngineError, fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { readFollow } from '../../query/call.ts'
import type {
  AnyReference,
  Collection,
  Field,
  ManyToOne,
  RelationFilter,
  Schema,
  ToMany,
} from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import type { ArmStep, BoundRelation, Children } from '../filter/predicate.ts'
import { collectionNamed, fieldNamed } from '../resolve-name.ts'

/** The rows behind a to-many field. */
export function childrenOf(
  { collection: owner, target, foreign, name, within }: ToMany,
  circumstances: Circumstances,
): Children {
  return { owner, target, foreign, name, within: bound(within, circumstances) }
}

const bound = (within: RelationFilter | undefined, circumstances: Circumstances): BoundRelation | undefined =>
  within && { ...within, circumstances }

/** The items of one collection behind a reference to several. */
export function armOf(field: AnyReference, target: Collection, circumstances: Circumstances): ArmStep {
  return { field, target, within: bound(field.within.get(target.name), circumstances) }
}

/** The rows behind `$FOLLOW(collection, field)`: a relation that the schema does not declare from this side. */
export function followed(
  text: string,
  owner: Collection,
  {
    schema,
    circumstances,
  }: { readonly schema: Pick<Schema, 'collections'>; readonly circumstances: Circumstances },
  path: Path,
): Children | EngineError {
  const follow = readFollow(text)
  if (!follow) return fault('INVALID_QUERY', `${quote(text)} is not understood.`, { path })
  const target = collectionNamed(schema, follow.collection, path)
  if (isEngineError(target)) return target
  const foreign = fieldNamed(target, follow.field, path)
  if (isEngineError(foreign)) return foreign
  if (pointsTo(foreign, owner, follow.by)) {
    const within = foreign.kind === 'any' ? foreign.within.get(owner.name) : undefined
    return { owner, target, foreign, name: undefined, within: bound(within, circumstances) }
  }
  const reason = `"${follow.field}" of "${target.name}" does not point there`
  return fault('INVALID_QUERY', `${quote(text)} does not lead to "${owner.name}": ${reason}.`, { path })
}

function pointsTo(
  field: Field,
  owner: Collection,
  by: string | undefined,
): field is ManyToOne | AnyReference {
  if (field.kind === 'm2o') return by === undefined && field.target === owner
  return field.kind === 'any' && field.by.name === by && field.targets.get(owner.name) === owner
}
