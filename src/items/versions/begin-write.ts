// The beginning of every write of a version: the item is named and what is returned is read, before anything is locked.

import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions } from '../../errors/check-options.ts'
import { callOptions, type Options } from '../../execution/database.ts'
import { lockForUpdate, subjectOf, type VersionedItem } from '../../versions/version-rows.ts'
import { refuseReadonly } from '../../writes/authorize/writable-fields.ts'
import { inOneUnit } from '../../writes/context/retry.ts'
import { withCallerVariables } from '../caller-variables.ts'
import {
  readVersionShape,
  type VersionShapeQuery,
  versionResult,
  type WrittenVersion,
} from './version-result.ts'

/** The item of a version, and the query of what is returned, as the caller gives them. */
interface VersionCall {
  readonly collection: string
  readonly key: unknown
  readonly query?: object | undefined
}

interface BegunWrite {
  readonly scoped: EngineInternals
  readonly named: VersionedItem
  readonly shape: VersionShapeQuery | undefined
  readonly options: Options
}

export async function beginWrite(
  engine: Engine,
  { collection, key, query }: VersionCall,
  options: Options,
): Promise<BegunWrite> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const scoped = await withCallerVariables(core)
  const named = subjectOf(scoped, collection, key)
  refuseReadonly(named.collection, scoped)
  return { scoped, named, shape: readVersionShape(scoped, query), options }
}

/** Writes a version of a locked item, and returns it. `names`: the fields of the item that the version changes. */
export const writeVersion = async (
  { scoped, named, shape, options }: BegunWrite,
  names: readonly string[],
  write: (subject: VersionedItem, inside: EngineInternals) => Promise<WrittenVersion>,
): Promise<unknown> =>
  inOneUnit(scoped, options, async (inside) => {
    const subject = await lockForUpdate(named, inside, options, names)
    return versionResult(shape, { subject, ...(await write(subject, inside)) }, inside, options)
  })
