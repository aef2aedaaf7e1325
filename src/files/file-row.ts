// Row of a file, as the engine itself needs it: the storage key of its bytes, and their type.

import type { EngineInternals } from '../engine/engine.ts'
import type { FileKeeping } from '../engine/file-options.ts'
import { fault } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import { withCallerVariables } from '../items/caller-variables.ts'
import { readList } from '../items/read/read-list.ts'
import { listRequest } from '../items/read/read-request.ts'
import { type Key, shownKeyOf } from '../plan/key.ts'
import { prepare } from '../prepared/prepare.ts'
import { requireVisible } from '../writes/authorize/visible-keys.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { newWriteContext } from '../writes/context/write-context.ts'

/** Row of a file, without rules applied. Fields that a host's collection does not have are missing. */
export interface FileRow {
  readonly id: string
  /** Key in the storage. */
  readonly filename_disk: string
  readonly filename_download: string | null
  readonly type: string | null
  readonly width?: number | null
  readonly height?: number | null
  readonly checksum?: string | null
  readonly focal_point_x?: number | null
  readonly focal_point_y?: number | null
}

const read = [
  'id',
  'filename_disk',
  'filename_download',
  'type',
  'width',
  'height',
  'checksum',
  'focal_point_x',
  'focal_point_y',
] as const satisfies readonly (keyof FileRow)[]

/** Returns the files of an engine, which has to have a storage. */
export function filesOf({ files }: EngineInternals): FileKeeping {
  if (files) return files
  throw fault('INVALID_OPTIONS', 'This engine keeps no files.', {
    path: ['storage'],
    hint: 'Give createEngine a "storage" of quernel/storage.',
  })
}

/** Returns the row of a file that is visible to a caller. */
export async function visibleFile(engine: EngineInternals, id: string, options: Options): Promise<FileRow> {
  const scoped = await withCallerVariables(engine)
  const { collection } = filesOf(scoped)
  const key = namedKey(collection, id, undefined)
  if (scoped.scope?.permissions) await requireVisible(collection, [key], newWriteContext(scoped, options))
  const found = await storedFile(scoped, key, options)
  if (found) return found
  throw noFile()
}

/** Returns the row of a file, if there is one with bytes. */
export async function storedFile(
  engine: EngineInternals,
  key: Key,
  options: Options,
): Promise<FileRow | undefined> {
  const { collection } = filesOf(engine)
  const whole = engine.whole().withOwn()
  const query = {
    fields: read.filter((name) => collection.fields.has(name)),
    filter: { id: { _eq: shownKeyOf(collection, key) } },
    limit: 1,
  }
  const { data } = await readList(
    whole,
    prepare(listRequest(whole, collection.name, query, 'list'), whole),
    options,
  )
  // A collection without these fields is refused, and they have these types in any.
  const [row] = data as unknown as readonly (FileRow | undefined)[]
  return row?.filename_disk ? row : undefined
}

export const noFile = () => fault('NOT_FOUND', 'There is no such file, or you may not see it.')
