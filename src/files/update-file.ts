import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { NotVisible, OfWhom } from '../items/types/result.ts'
import { updateItem } from '../items/update.ts'
import { type Key, keyToText } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import type { Schema } from '../schema/model.ts'
import type { Body } from '../storage/storage.ts'
import { isRecord } from '../values/guards.ts'
import { requireRows, requireVisible } from '../writes/authorize/visible-keys.ts'
import { missing, namedKey } from '../writes/context/named-key.ts'
import { inOneUnit } from '../writes/context/retry.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import type { Intent } from '../writes/create-or-update.ts'
import { deleteBytes } from '../writes/delete/delete-bytes.ts'
import { lockVisible } from '../writes/stored/lock-rows.ts'
import { filesOf, storedFile } from './file-row.ts'
import type { CheckedFileQuery, FileAnswer, FileInput, Replacement } from './file-types.ts'
import { type Announced, type Received, receive } from './receive.ts'
import {
  checkFields,
  dropUnlessKept,
  keepBytes,
  readUpload,
  type UploadWriter,
  uploadWriterFor,
  valuesOfBytes,
  writeRows,
} from './write-file.ts'

/** Updates the fields of a file and, if there is a body, replaces its bytes and deletes the variants of the old ones. Null if the updated
 *  file is not visible to the caller.
 *  @example await updateFile(engine, photo.id, { title: 'Farewell' }, new Blob(['Bye']), { fields: ['title', 'filesize'] })
 *  // → { title: 'Farewell', filesize: 3 } */
export function updateFile<S extends Schema, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  id: string,
  data: FileInput<S>,
): Promise<FileAnswer<S> | NotVisible<Whose>>
export function updateFile<S extends Schema, const Q = Record<never, never>, Whose = unknown>(
  engine: Engine<S> & OfWhom<Whose>,
  id: string,
  data: Replacement<S>,
  body: Body | undefined,
  query?: CheckedFileQuery<S, Q>,
  options?: Options,
): Promise<FileAnswer<S, Q> | NotVisible<Whose>>
export async function updateFile(
  engine: Engine,
  id: string,
  data: unknown,
  body?: Body,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const { collection } = filesOf(core)
  if (body === undefined)
    // `updateItem` checks the data.
    return updateItem(core.withOwn().asEngine(), collection.name, id, data as ItemData, query ?? {}, options)
  return replaceFile(core, { id, data, body, query }, options)
}

interface FileReplacement {
  readonly id: string
  readonly data: unknown
  readonly body: Body
  readonly query: object | undefined
  /** Refuses a file that is not as its writer has seen it: before its bytes are read, and once its row is locked. */
  readonly require?: ((inside: EngineInternals) => Promise<void>) | undefined
}

/** `updateFile` with a body, under a condition. */
export async function replaceFile(
  core: EngineInternals,
  { id, data, body, query, require }: FileReplacement,
  options: Options,
): Promise<unknown> {
  const { collection } = filesOf(core)
  const writer = await uploadWriterFor(core, 'update', query, options)
  const key = namedKey(collection, id, undefined)
  const upload = { ...(await readReplacement(writer, key, data)), require }
  await require?.(writer.engine)
  const received = await receive(writer.engine, keyToText(collection, key), { ...upload, body }, options)
  return replaceRow(writer, key, upload, received)
}

/** Field that stands for the bytes in rules: a caller who may write it may replace them. */
const bytes = 'filename_disk'

/** Replacement of a file before its bytes are read. */
interface ReadReplacement extends Announced, Pick<FileReplacement, 'require'> {
  readonly fields: ItemData
  /** True if the caller gives a new name. */
  readonly isNamed: boolean
}

/** Reads the fields of a replacement, and refuses what is not allowed before the first byte is read. */
async function readReplacement(writer: UploadWriter, key: Key, data: unknown): Promise<ReadReplacement> {
  const { engine, files, options } = writer
  if (!isRecord(data))
    throw fault('INVALID_PAYLOAD', `A file is an object of its fields, not ${quote(data)}.`)
  const writing = newWriteContext(engine, options)
  await requireVisible(files.collection, [key], writing)
  const now = await storedFile(engine, key, options)
  const upload = readUpload({ ...data, filename: data.filename ?? now?.filename_download ?? '' })
  checkFields(writer, 'update', upload.fields, bytes)
  const names = Object.keys(upload.fields).filter((name) => name !== 'id')
  const change = { action: 'update', keys: [key], names: [...names, bytes] } as const
  await requireRows(files.collection, change, writing)
  return { ...upload, isNamed: data.filename !== undefined }
}

/** Writes the row of a file whose new bytes have arrived, and returns it. The old bytes are deleted after the commit. */
async function replaceRow(
  writer: UploadWriter,
  key: Key,
  upload: ReadReplacement,
  received: Received,
): Promise<unknown> {
  const { engine, files, options } = writer
  const id = keyToText(files.collection, key)
  const intent = updateIntent(writer, key, upload, received)
  try {
    const row = await inOneUnit(engine, options, async (inside) => {
      await lockVisible(files.collection, { keys: [key] }, newWriteContext(inside, options))
      await upload.require?.(inside)
      const before = await storedFile(inside, key, options)
      const [updated] = await writeRows(writer, [intent], inside)
      if (updated === undefined) throw missing()
      inside.unit?.addConsequences([{ done: () => deleteBytes(files.storage, id, before?.filename_disk) }])
      return updated
    })
    await keepBytes(writer, [{ id, received }])
    return row
  } catch (error) {
    await dropUnlessKept(writer, [{ id, received }])
    throw error
  }
}

function updateIntent(
  writer: UploadWriter,
  key: Key,
  { fields, filename, isNamed }: ReadReplacement,
  received: Received,
): Intent {
  const name = isNamed && fields.filename_download === undefined ? { filename_download: filename } : {}
  return {
    payload: fields,
    from: { ...fields, [bytes]: received.place },
    path: [],
    action: 'update',
    key,
    fixed: valuesOfBytes(writer, received, name),
  }
}
