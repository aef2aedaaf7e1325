import type { Engine } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { NotVisible, OfWhom } from '../items/types/result.ts'
import { updateItem } from '../items/update.ts'
import type { ItemData } from '../plan/changes.ts'
import { type Key, keyToText } from '../plan/key.ts'
import type { Schema } from '../schema/model.ts'
import type { Body } from '../storage/storage.ts'
import { isRecord } from '../values/record.ts'
import { deleteBytes } from '../writes/delete-bytes.ts'
import { lockRows } from '../writes/lock-rows.ts'
import { inOneUnit } from '../writes/retry.ts'
import { missing, namedKey } from '../writes/rows-by-key.ts'
import { requireRows, requireVisible } from '../writes/visible-keys.ts'
import { newWriteContext } from '../writes/write-context.ts'
import { filesOf, storedFile } from './file-row.ts'
import type { AskedOfFiles, FileAnswer, FileInput, Replacement } from './file-types.ts'
import { receive } from './receive.ts'
import {
  announced,
  checkFields,
  delivered,
  fixedBy,
  rowsWritten,
  type UploadWriter,
  uploadWriterFor,
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
  query?: AskedOfFiles<S, Q>,
  options?: Options,
): Promise<FileAnswer<S, Q> | NotVisible<Whose>>
export async function updateFile(
  caller: Engine,
  id: string,
  data: unknown,
  body?: Body,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const { collection } = filesOf(caller)
  if (body === undefined)
    // `updateItem` checks the data.
    return updateItem(caller.withOwn(), collection.name, id, data as ItemData, query ?? {}, options)
  const desk = await uploadWriterFor(caller, 'update', query, options)
  return replace(desk, namedKey(collection, id, undefined), body, data)
}

/** Field that stands for the bytes in rules: a caller who may write it may replace them. */
const bytes = 'filename_disk'

async function replace(desk: UploadWriter, key: Key, body: Body, data: unknown): Promise<unknown> {
  const { engine, keeping, options } = desk
  const { collection, storage } = keeping
  if (!isRecord(data))
    throw fault('INVALID_PAYLOAD', `A file is an object of its fields, not ${quote(data)}.`)
  const writing = newWriteContext(engine, options)
  await requireVisible(collection, [key], writing)
  const now = await storedFile(engine, key, options)
  const isNamed = data.filename !== undefined
  const { filename, type, fields } = announced({
    ...data,
    filename: data.filename ?? now?.filename_download ?? '',
  })
  checkFields(desk, 'update', fields, bytes)
  const names = Object.keys(fields).filter((name) => name !== 'id')
  await requireRows(collection, 'update', [key], writing, [...names, bytes])
  const id = keyToText(collection, key)
  const received = await receive(engine, id, body, { filename, type }, options)
  const called = isNamed && fields.filename_download === undefined ? { filename_download: filename } : {}
  const intent = {
    given: fields,
    from: { ...fields, [bytes]: received.place },
    path: [],
    action: 'update' as const,
    key,
    fixed: fixedBy(desk, received, called),
  }
  return delivered(desk, [{ id, received }], () =>
    inOneUnit(engine, options, async (inside) => {
      await lockRows(collection, [key], newWriteContext(inside, options))
      const before = await storedFile(inside, key, options)
      const [file] = await rowsWritten(desk, [intent], inside)
      if (file === undefined) throw missing()
      inside.unit?.follow([{ done: () => deleteBytes(storage, id, before?.filename_disk) }])
      return file
    }),
  )
}
