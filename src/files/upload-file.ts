import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { NotVisible, OfWhom } from '../items/types/result.ts'
import type { ItemData } from '../plan/changes.ts'
import { keyToText } from '../plan/key.ts'
import type { Schema } from '../schema/model.ts'
import type { Body } from '../storage/storage.ts'
import { inOneUnit } from '../writes/retry.ts'
import { existing, namedKey } from '../writes/rows-by-key.ts'
import { newWriteContext } from '../writes/write-context.ts'
import { titleOf } from './file-name.ts'
import type { AskedOfFiles, FileAnswer, Upload } from './file-types.ts'
import { drop, receive } from './receive.ts'
import {
  announced,
  checkFields,
  type Delivery,
  delivered,
  fixedBy,
  rowsWritten,
  type UploadWriter,
  uploadWriterFor,
} from './write-file.ts'

/** Stores bytes as a new file, and returns it. They are streamed to the storage and never kept as a whole. Null if the file is not visible
 *  to the caller.
 *  @example await uploadFile(engine, new Blob(['Hello']), { filename: 'hello.txt' }, { fields: ['title', 'type'] })
 *  // → { title: 'Hello', type: 'text/plain' } */
export function uploadFile<S extends Schema, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  body: Body,
  given: Upload<S>,
): Promise<FileAnswer<S> | NotVisible<Whose>>
export function uploadFile<S extends Schema, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  body: Body,
  given: Upload<S>,
  query: AskedOfFiles<S, Q>,
  options?: Options,
): Promise<FileAnswer<S, Q> | NotVisible<Whose>>
export async function uploadFile(
  engine: Engine,
  body: Body,
  given: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const desk = await uploadWriterFor(engine, 'create', query, options)
  const [file] = await createFiles(desk, [await receiveFile(desk, body, given)])
  return file
}

/** A file whose bytes have arrived. */
export interface ReceivedFile extends Delivery {
  readonly filename: string
  readonly fields: ItemData
}

/** Receives the bytes of one new file, after checking that it may be created. */
export async function receiveFile(desk: UploadWriter, body: Body, given: unknown): Promise<ReceivedFile> {
  const { filename, type, fields } = announced(given)
  checkFields(desk, 'create', fields)
  const { engine, keeping, options } = desk
  const { collection } = keeping
  const key = namedKey(collection, fields.id ?? randomUUID(), ['id'])
  const id = keyToText(collection, key)
  // Without a database there will be no row, so the bytes are not read: whether a row was written could not be checked either.
  await existing(collection, [key], newWriteContext(engine, options))
  const received = await receive(engine, id, body, { filename, type }, options)
  return { id, received, filename, fields }
}

/** Creates the rows of files whose bytes have arrived: all of them or none. */
export function createFiles(desk: UploadWriter, files: readonly ReceivedFile[]): Promise<readonly unknown[]> {
  const { engine, options } = desk
  const folder = engine.pictures.defaultFolder
  const intents = files.map(({ id, received, filename, fields }, index) => {
    const called = fields.filename_download === undefined ? { filename_download: filename } : {}
    return {
      given: fields,
      path: files.length > 1 ? [index] : [],
      action: 'create' as const,
      fixed: fixedBy(desk, received, isNamed(fields) ? called : { id, ...called }),
      otherwise: wherePossible(desk, { title: titleOf(filename), folder }),
    }
  })
  return delivered(desk, files, () =>
    inOneUnit(engine, options, (inside) => rowsWritten(desk, intents, inside)),
  )
}

/** True if the caller gives the key. Null counts as none, as with any item. */
const isNamed = ({ id }: ItemData): boolean => id !== undefined && id !== null

/** Returns default values of a file, for the fields that its collection has. */
function wherePossible({ keeping }: UploadWriter, said: Readonly<Record<string, string | undefined>>) {
  const { fields } = keeping.collection
  return Object.fromEntries(
    Object.entries(said).filter(([name, value]) => value !== undefined && fields.has(name)),
  )
}

/** Deletes bytes that become no file. */
export async function dropAll({ engine }: UploadWriter, files: readonly ReceivedFile[]): Promise<void> {
  for (const { received } of files) await drop(engine, received.place)
}
