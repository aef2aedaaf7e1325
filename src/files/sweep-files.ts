// Sweep of the storage: deletes bytes without a row. They come from uploads during which the database or the process failed, and from rows
// that the database or the host's own SQL has deleted.

import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { anything, checkOptions, flag, optionNames } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import { callKinds, type Options } from '../execution/database.ts'
import { fieldSubject } from '../plan/field-path.ts'
import { readKey } from '../plan/key.ts'
import { wholeList } from '../plan/read/by-key.ts'
import { isStored, type Schema, type StoredField, soleKeyOf } from '../schema/model.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import { allVariants } from '../storage/variant-prefix.ts'
import { exactly } from '../types/family-row.ts'
import { maxKeys } from '../writes/lists/affected-rows.ts'
import { rowsOf } from '../writes/stored/select-keys.ts'
import { filesOf } from './file-row.ts'
import { underWayIn } from './pending-uploads.ts'

/** Options of `sweepFiles`. */
export interface SweepOptions extends Options {
  /** Minimum age of orphaned bytes in milliseconds. By default a day. Uploads of other processes have to end within it, with the
   *  transactions that they are part of. */
  readonly olderThanMs?: number
  /** True to return what would be deleted, without deleting it. */
  readonly dryRun?: boolean
}

const sweepOptions = optionNames<SweepOptions>({ ...callKinds, olderThanMs: anything, dryRun: flag })

/** Result of a sweep, or of its dry run. */
export interface Swept {
  /** Number of deleted files of the storage. */
  readonly deleted: number
  /** Number of their bytes. */
  readonly bytes: number
  /** Their keys in the storage, unless there are more than 10,000. */
  readonly keys?: readonly string[]
}

/** Deletes orphaned bytes from the storage: those that no row names in `filename_disk`, and variants of deleted files. Anything else in the
 *  storage stays. The storage has to be used for the files of this database alone.
 *  @example await sweepFiles(engine, { dryRun: true }) // → { deleted: 0, bytes: 0, keys: [] } */
export async function sweepFiles<S extends Schema>(
  engine: Engine<S>,
  input: SweepOptions = {},
): Promise<Swept> {
  const core = internalsOf(engine)
  checkOptions(input, sweepOptions)
  const { olderThanMs = aDay, dryRun = false, ...options } = input
  const { storage } = filesOf(core)
  refuseIdle(core, storage, olderThanMs)
  const keys: string[] = []
  let [deleted, bytes] = [0, 0]
  for await (const { key, size } of forgottenIn(core, Date.now() - olderThanMs, options)) {
    if (!dryRun) await storage.delete(key)
    deleted += 1
    bytes += size
    if (keys.length <= maxKeys) keys.push(key)
  }
  return { deleted, bytes, ...(deleted <= maxKeys && { keys }) }
}

const aDay = 24 * 60 * 60 * 1000

function refuseIdle(engine: EngineInternals, storage: Storage, olderThanMs: number): void {
  if (engine.scope?.permissions)
    throw fault('FORBIDDEN', "Files are swept by the host's own engine, and by no caller with rules.")
  // A rollback restores rows, but not bytes.
  if (engine.unit)
    throw fault('INVALID_OPTIONS', 'Files are swept outside of transactions, for bytes do not come back.')
  if (!Number.isFinite(olderThanMs) || olderThanMs < 0)
    throw fault('INVALID_OPTIONS', '"olderThanMs" is a number of milliseconds of 0 or more.', {
      path: ['olderThanMs'],
    })
  // A storage of the host's may be older than the types.
  if (typeof Reflect.get(storage, 'list') !== 'function')
    throw fault('INVALID_OPTIONS', 'This storage cannot list its files, so they cannot be swept.', {
      path: ['storage'],
      hint: 'Let it have "list", as storages made by defineStorage do.',
    })
}

interface StoragePlace {
  /** Prefix of all keys that belong to files. */
  readonly prefix: string
  /** Returns the value by which a row is found; undefined for a key that is not the engine's. */
  readonly named: (key: string) => string | undefined
  readonly field: (engine: EngineInternals) => StoredField | undefined
}

/** Places where an engine stores the bytes of files and their variants. */
const places: readonly StoragePlace[] = [
  {
    prefix: 'files/',
    named: (key) => (/^files\/[\w-]+\/[0-9a-f]{18}(\.\w+)?$/.test(key) ? key : undefined),
    field: (engine) => {
      const field = filesOf(engine).collection.fields.get('filename_disk')
      return field && isStored(field) ? field : undefined
    },
  },
  {
    prefix: allVariants,
    named: (key) => /^[^/]+\/([\w-]+)\//.exec(key)?.[1],
    field: (engine) => soleKeyOf(filesOf(engine).collection),
  },
]

/** Maximum number of rows that are looked up at a time. */
const atOnce = 500

async function* forgottenIn(
  engine: EngineInternals,
  before: number,
  options: Options,
): AsyncGenerator<StoredFile> {
  const { storage } = filesOf(engine)
  const underWay = underWayIn(storage)
  for (const place of places) {
    let some: StoredFile[] = []
    for await (const file of storage.list(place.prefix)) {
      options.signal?.throwIfAborted()
      if (file.lastModified.getTime() > before || underWay.has(file.key)) continue
      if (some.push(file) < atOnce) continue
      yield* await withoutRow(some, place, engine, options)
      some = []
    }
    yield* await withoutRow(some, place, engine, options)
  }
}

async function withoutRow(
  files: readonly StoredFile[],
  { named, field: fieldOf }: StoragePlace,
  engine: EngineInternals,
  options: Options,
): Promise<readonly StoredFile[]> {
  const { collection } = filesOf(engine)
  const field = fieldOf(engine)
  const wanted = files.flatMap((file) => {
    const name = named(file.key)
    const value = name !== undefined && field?.isKey ? readKey(collection, name) : name
    return value === undefined ? [] : [{ file, name: String(value) }]
  })
  if (!field || wanted.length === 0) return []
  const subject = fieldSubject(field)
  const values = [...new Set(wanted.map(({ name }) => name))].map(exactly)
  const isNamed = {
    kind: 'test',
    subject,
    operator: '_in',
    operand: { kind: 'values', values },
    path: [],
  } as const
  const rows = await rowsOf(
    {
      ...wholeList(collection, isNamed),
      rows: { kind: 'items', members: [{ kind: 'value', name: 'name', subject, path: [] }] },
    },
    { engine: engine.whole().fresh(), options },
  )
  const known = new Set(rows.map((row) => String(Object(row).name)))
  return wanted.flatMap(({ file, name }) => (known.has(name) ? [] : [file]))
}
