// Result of a write to a version: the version, in the requested shape, with what is visible to its writer.
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { maskSecrets } from '../../plan/write/mask-secrets.ts'
import { parseQuery } from '../../query/parse.ts'
import type { ParsedQuery } from '../../query/types.ts'
import { type Version, type VersionedItem, versionNamed } from '../../versions/version-rows.ts'
import { visibleDelta } from '../../versions/visible-delta.ts'
import { answerShape } from '../read/answer-shape.ts'
import { readVisibleVersion, refuseHiddenDeltas } from './visible-versions.ts'

export interface VersionShapeQuery {
  readonly query: ParsedQuery
  /** False if versions are not visible to the caller at all. */
  readonly isVisible: boolean
}

/** Reads the requested shape before anything is written, so that a mistake in it changes nothing. Undefined if none is requested. */
export function readVersionShape(
  engine: EngineInternals,
  input: object | undefined,
): VersionShapeQuery | undefined {
  if (input === undefined) return undefined
  const { meta: _meta, ...shape } = parseQuery(input, { limits: engine.limits })
  const query = shape as ParsedQuery // the rest of one
  const isVisible = answerShape(engine.withOwn(), engine.versions().name, { query }) !== undefined
  if (isVisible) refuseHiddenDeltas(query, engine)
  return { query, isVisible }
}

export interface WrittenVersion {
  readonly id: string
  readonly key: string
  /** True for a version that was just created, which is returned even if rules hide its row. */
  readonly isNew?: boolean
}

/** Returns a written version: in the requested shape, which is null if rules hide it from its writer, or as it is stored. */
export async function versionResult(
  shape: VersionShapeQuery | undefined,
  { subject, id, key, isNew = false }: WrittenVersion & { readonly subject: VersionedItem },
  engine: EngineInternals,
  options: Options,
): Promise<unknown> {
  if (shape) return shape.isVisible ? readOrNull(id, shape.query, engine, options) : null
  const version = await versionNamed(subject, key, isNew ? engine.whole() : engine, options)
  return visibleVersion(subject, version, engine, options)
}

async function readOrNull(
  id: string,
  query: ParsedQuery,
  engine: EngineInternals,
  options: Options,
): Promise<object | null> {
  try {
    return await readVisibleVersion(engine, id, query, options)
  } catch (error) {
    if (isEngineError(error) && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** Returns the part of a version that is visible to the caller, with concealed fields masked. */
export async function visibleVersion<Delta>(
  subject: VersionedItem,
  version: Version,
  engine: EngineInternals,
  options: Options,
): Promise<Version<Delta>> {
  const visible = version.delta && (await visibleDelta(subject, version.delta, engine, options))
  const delta = visible && maskSecrets(subject.collection, visible)
  // The delta was read by the item's own collection when it was saved.
  return visibleFieldsOf({ ...version, delta: delta as Delta | null }, engine)
}

/** Returns the fields of a version that rules for versions show. */
function visibleFieldsOf<Delta>(version: Version<Delta>, engine: EngineInternals): Version<Delta> {
  const table = engine.scope?.permissions?.seen.of.get(engine.versions())
  if (!table) return version
  const entries = Object.entries(version).filter(([name]) => table.fields.has(name))
  // Hidden fields are missing, whatever the type promises.
  return Object.fromEntries(entries) as unknown as Version<Delta>
}
