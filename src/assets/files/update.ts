import type { Engine } from '../../engine.ts'
import { fault, quote } from '../../errors.ts'
import type { OfWhom, Unseen } from '../../items/answer.ts'
import { updateItem } from '../../items/update.ts'
import { checkOptions } from '../../options.ts'
import type { Given } from '../../plan/payload.ts'
import { keyAnswer } from '../../plan/shown-value.ts'
import type { Storable } from '../../plan/stored-value.ts'
import { callOptions, type Options } from '../../run/execute.ts'
import type { Schema } from '../../schema/model.ts'
import type { Body } from '../../storage/storage.ts'
import { isRecord } from '../../values/record.ts'
import { atomically } from '../../writes/atomically.ts'
import { deleteBytes } from '../../writes/bytes.ts'
import { hold } from '../../writes/hold.ts'
import { requireRows, requireVisible } from '../../writes/permits.ts'
import { missing, storedKey } from '../../writes/rows.ts'
import { newWriting } from '../../writes/writing.ts'
import { announced, checkFields, type Desk, delivered, deskFor, fixedBy, rowsWritten } from './desk.ts'
import { receive } from './receive.ts'
import { filesOf, storedFile } from './stored.ts'
import type { AskedOfFiles, FileAnswer, FileInput, Replacement } from './types.ts'

/** Changes what is known of a file and, where there is a body, puts its bytes in the place of those that the file had. What was made of these
 *  is deleted. Null when the caller does not see what it has become.
 *  @example await updateFile(engine, photo.id, { title: 'Farewell' }, new Blob(['Bye']), { fields: ['title', 'filesize'] })
 *  // → { title: 'Farewell', filesize: 3 } */
export function updateFile<S extends Schema, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  id: string,
  data: FileInput<S>,
): Promise<FileAnswer<S> | Unseen<Whose>>
export function updateFile<S extends Schema, const Q = Record<never, never>, Whose = unknown>(
  engine: Engine<S> & OfWhom<Whose>,
  id: string,
  data: Replacement<S>,
  body: Body | undefined,
  query?: AskedOfFiles<S, Q>,
  options?: Options,
): Promise<FileAnswer<S, Q> | Unseen<Whose>>
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
    // What it is made of is the verb's to say.
    return updateItem(caller.withOwn(), collection.name, id, data as Given, query ?? {}, options)
  const desk = await deskFor(caller, 'update', query, options)
  return replace(desk, storedKey(collection, id, undefined), body, data)
}

/** What stands for the bytes in rules: whoever may write it may replace them. */
const bytes = 'filename_disk'

async function replace(desk: Desk, key: Storable, body: Body, data: unknown): Promise<unknown> {
  const { engine, keeping, options } = desk
  const { collection, storage } = keeping
  if (!isRecord(data))
    throw fault('INVALID_PAYLOAD', `A file is an object of its fields, not ${quote(data)}.`)
  const writing = newWriting(engine, options)
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
  const id = String(keyAnswer(collection, key))
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
    atomically(engine, options, async (inside) => {
      await hold(collection, [key], newWriting(inside, options))
      const before = await storedFile(inside, key, options)
      const [file] = await rowsWritten(desk, [intent], inside)
      if (file === undefined) throw missing()
      inside.unit?.follow([{ done: () => deleteBytes(storage, id, before?.filename_disk) }])
      return file
    }),
  )
}
