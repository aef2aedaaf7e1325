import { randomUUID } from 'node:crypto'
import type { Engine } from '../../engine.ts'
import type { OfWhom, Unseen } from '../../items/answer.ts'
import { checkOptions } from '../../options.ts'
import type { Given } from '../../plan/payload.ts'
import { keyAnswer } from '../../plan/shown-value.ts'
import { callOptions, type Options } from '../../run/execute.ts'
import type { Schema } from '../../schema/model.ts'
import type { Body } from '../../storage/storage.ts'
import { atomically } from '../../writes/atomically.ts'
import { existing, storedKey } from '../../writes/rows.ts'
import { newWriting } from '../../writes/writing.ts'
import {
  announced,
  checkFields,
  type Delivery,
  type Desk,
  delivered,
  deskFor,
  fixedBy,
  rowsWritten,
} from './desk.ts'
import { titleOf } from './named.ts'
import { drop, receive } from './receive.ts'
import type { AskedOfFiles, FileAnswer, Upload } from './types.ts'

/** Stores bytes as a new file, and answers it. They are read as they come, and held nowhere. Null when the caller does not see it.
 *  @example await uploadFile(engine, new Blob(['Hello']), { filename: 'hello.txt' }, { fields: ['title', 'type'] })
 *  // → { title: 'Hello', type: 'text/plain' } */
export function uploadFile<S extends Schema, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  body: Body,
  given: Upload<S>,
): Promise<FileAnswer<S> | Unseen<Whose>>
export function uploadFile<S extends Schema, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  body: Body,
  given: Upload<S>,
  query: AskedOfFiles<S, Q>,
  options?: Options,
): Promise<FileAnswer<S, Q> | Unseen<Whose>>
export async function uploadFile(
  engine: Engine,
  body: Body,
  given: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const desk = await deskFor(engine, 'create', query, options)
  const [file] = await createFiles(desk, [await handIn(desk, body, given)])
  return file
}

/** A file whose bytes have come. */
export interface HandedIn extends Delivery {
  readonly filename: string
  readonly fields: Given
}

/** Takes the bytes of one new file, if it may become one. */
export async function handIn(desk: Desk, body: Body, given: unknown): Promise<HandedIn> {
  const { filename, type, fields } = announced(given)
  checkFields(desk, 'create', fields)
  const { engine, keeping, options } = desk
  const { collection } = keeping
  const key = storedKey(collection, fields.id ?? randomUUID(), ['id'])
  const id = String(keyAnswer(collection, key))
  // Bytes that cannot get a row are not taken: whether they have got one could not be asked either.
  await existing(collection, [key], newWriting(engine, options))
  const received = await receive(engine, id, body, { filename, type }, options)
  return { id, received, filename, fields }
}

/** The rows of files whose bytes have come: all of them or none. */
export function createFiles(desk: Desk, files: readonly HandedIn[]): Promise<readonly unknown[]> {
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
    atomically(engine, options, (inside) => rowsWritten(desk, intents, inside)),
  )
}

/** Whether somebody says which key the file gets. Null says nothing, as with any item. */
const isNamed = ({ id }: Given): boolean => id !== undefined && id !== null

/** What is said of a file unless somebody says otherwise, as far as its collection can hold it. */
function wherePossible({ keeping }: Desk, said: Readonly<Record<string, string | undefined>>) {
  const { fields } = keeping.collection
  return Object.fromEntries(
    Object.entries(said).filter(([name, value]) => value !== undefined && fields.has(name)),
  )
}

/** Lets go of bytes that become no file. */
export async function dropAll({ engine }: Desk, files: readonly HandedIn[]): Promise<void> {
  for (const { received } of files) await drop(engine, received.place)
}
