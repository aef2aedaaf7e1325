import { type Engine, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { NotVisible, OfWhom } from '../items/types/result.ts'
import { keyToText } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import type { Schema } from '../schema/model.ts'
import type { Body } from '../storage/storage.ts'
import { randomUUID } from '../values/from-node.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { inOneUnit } from '../writes/context/retry.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import type { Intent } from '../writes/create-or-update.ts'
import { existing } from '../writes/stored/rows-by-key.ts'
import { titleOf } from './file-name.ts'
import type { CheckedFileQuery, FileAnswer, Upload } from './file-types.ts'
import { imagesOf } from './open-images.ts'
import { drop, receive } from './receive.ts'
import {
  checkFields,
  type Delivery,
  dropUnlessKept,
  keepBytes,
  readUpload,
  type UploadWriter,
  uploadWriterFor,
  valuesOfBytes,
  writeRows,
} from './write-file.ts'

/** Stores bytes as a new file, and returns it. They are streamed to the storage and never kept as a whole. Null if the file is not visible
 *  to the caller.
 *  @example await uploadFile(engine, new Blob(['Hello']), { filename: 'hello.txt' }, { fields: ['title', 'type'] })
 *  // → { title: 'Hello', type: 'text/plain' } */
export function uploadFile<S extends Schema, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  body: Body,
  input: Upload<S>,
): Promise<FileAnswer<S> | NotVisible<Whose>>
export function uploadFile<S extends Schema, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  body: Body,
  input: Upload<S>,
  query: CheckedFileQuery<S, Q>,
  options?: Options,
): Promise<FileAnswer<S, Q> | NotVisible<Whose>>
export async function uploadFile(
  engine: Engine,
  body: Body,
  input: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const writer = await uploadWriterFor(core, 'create', query, options)
  const received = await receiveFile(writer, body, input)
  const [file] = await createFiles(writer, [received])
  return file
}

/** A file whose bytes have arrived. */
export interface ReceivedFile extends Delivery {
  readonly filename: string
  readonly fields: ItemData
}

/** Receives the bytes of one new file, after checking that it may be created. */
export async function receiveFile(writer: UploadWriter, body: Body, input: unknown): Promise<ReceivedFile> {
  const { engine, files, options } = writer
  const { filename, type, fields } = readUpload(input)
  checkFields(writer, 'create', fields)
  const key = namedKey(files.collection, fields.id ?? randomUUID(), ['id'])
  const id = keyToText(files.collection, key)
  // Without a database there will be no row, so the bytes are not read: whether a row was written could not be checked either.
  await existing(files.collection, [key], newWriteContext(engine, options))
  const received = await receive(engine, id, { body, filename, type }, options)
  return { id, received, filename, fields }
}

/** Creates the rows of files whose bytes have arrived: all of them or none. */
export async function createFiles(
  writer: UploadWriter,
  files: readonly ReceivedFile[],
): Promise<readonly unknown[]> {
  const intents = files.map((file, index) => createIntent(writer, file, files.length > 1 ? [index] : []))
  try {
    const rows = await inOneUnit(writer.engine, writer.options, (inside) =>
      writeRows(writer, intents, inside),
    )
    await keepBytes(writer, files)
    return rows
  } catch (error) {
    await dropUnlessKept(writer, files)
    throw error
  }
}

function createIntent(
  writer: UploadWriter,
  { id, received, filename, fields }: ReceivedFile,
  path: readonly number[],
): Intent {
  const folder = imagesOf(writer.engine).defaultFolder
  const name = fields.filename_download === undefined ? { filename_download: filename } : {}
  return {
    payload: fields,
    path,
    action: 'create',
    fixed: valuesOfBytes(writer, received, hasKey(fields) ? name : { id, ...name }),
    otherwise: defaultsFor(writer, { title: titleOf(filename), folder }),
  }
}

/** True if the caller gives the key. Null counts as none, as with any item. */
const hasKey = ({ id }: ItemData): boolean => id !== undefined && id !== null

/** Returns default values of a file, for the fields that its collection has. */
function defaultsFor(
  { files }: UploadWriter,
  values: Readonly<Record<string, string | undefined>>,
): ItemData {
  const { fields } = files.collection
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== undefined && fields.has(name)),
  )
}

/** Deletes bytes that become no file. */
export async function dropAll({ engine }: UploadWriter, files: readonly ReceivedFile[]): Promise<void> {
  for (const { received } of files) await drop(engine, received.place)
}
