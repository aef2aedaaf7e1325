// HTTP requests for files: items whose bytes come in forms, or in JSON.

import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import { filesOf } from '../files/file-row.ts'
import { replaceFile } from '../files/update-file.ts'
import { createFiles, dropAll, type ReceivedFile, receiveFile } from '../files/upload-file.ts'
import { type UploadWriter, uploadWriterFor } from '../files/write-file.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { type Field, isToMany } from '../schema/model.ts'
import type { Body } from '../storage/storage.ts'
import { familyRow } from '../types/families.ts'
import { isRecord } from '../values/guards.ts'
import { requireMatch } from './conditional.ts'
import { itemBody, queryOf } from './item-body.ts'
import * as items from './items.ts'
import {
  dataListOrEmpty,
  dataOrEmpty,
  type Incoming,
  type Outgoing,
  type Reply,
  type RouteFunction,
} from './messages.ts'
import { type FormFile, filesIn, isForm } from './multipart/form.ts'

/** Returns a function of items for files, whose collection need not be in the schema. */
const asItems =
  (call: RouteFunction): RouteFunction =>
  (engine, incoming) => {
    const core = internalsOf(engine)
    return call(core.withOwn().asEngine(), { ...incoming, collection: filesOf(core).collection.name })
  }

export const list = asItems(items.list)
export const search = asItems(items.search)
export const read = asItems(items.read)
export const updateSeveral = asItems(items.updateSeveral)
export const remove = asItems(items.remove)
export const removeSeveral = asItems(items.removeSeveral)

const updateFields = asItems(items.update)

/** Creates all files of a form or of JSON, or none of them. There has to be at least one. */
export async function create(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const writer = await uploadWriterFor(
    internalsOf(engine),
    'create',
    queryOf(incoming, engine),
    incoming.options,
  )
  const received = await receiveAll(writer, uploadsIn(engine, incoming))
  const files = await createFiles(writer, received)
  return files.length === 1 ? dataOrEmpty(files[0]) : dataListOrEmpty(files)
}

/** Receives the bytes of all files; if one of them fails, none remain. */
async function receiveAll(
  writer: UploadWriter,
  uploads: AsyncIterable<UploadedFile>,
): Promise<readonly ReceivedFile[]> {
  const received: ReceivedFile[] = []
  try {
    for await (const { body, payload } of uploads) received.push(await receiveFile(writer, body, payload))
    if (received.length === 0) throw noFiles()
    return received
  } catch (error) {
    await dropAll(writer, received)
    throw error
  }
}

/** Updates the fields of a file, or with a form also its bytes. */
export async function update(engine: Engine, incoming: Incoming): Promise<Reply> {
  if (!isForm(incoming)) return updateFields(engine, incoming)
  const { id, key, options } = incoming
  const core = internalsOf(engine)
  const query = queryOf(incoming, engine)
  const wanted = incoming.header('if-match')
  const read = (inside: EngineInternals) =>
    itemBody(inside.asEngine(), query, { collection: filesOf(core).collection.name, key, options })
  const require =
    wanted === undefined ? undefined : (inside: EngineInternals) => requireMatch(wanted, () => read(inside))
  const files = filesIn(incoming)
  const { value: file } = await files.next()
  if (!file) throw noFiles()
  const data = { ...fieldsOf(file, engine), filename: file.filename }
  const body = onlyBody(file, files)
  try {
    return dataOrEmpty(await replaceFile(core, { id, data, body, query, require }, options))
  } finally {
    // A refused body is not read to its end, and would block the next request of the connection.
    await files.return(undefined)
  }
}

/** Returns the bytes of the only file of a form, which nothing may follow. It is not read before it is requested. */
function onlyBody({ body }: FormFile, files: AsyncIterator<FormFile, undefined>): typeof body {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        const { done: isLast } = await files.next()
        if (isLast) return controller.close()
        throw fault('INVALID_PAYLOAD', 'A file can only be replaced by one file.', {
          path: ['body'],
        })
      },
    },
    { highWaterMark: 0 },
  )
}

const noFiles = () => fault('INVALID_PAYLOAD', 'There is no file in the body.', { path: ['body'] })

interface UploadedFile {
  readonly body: Body
  readonly payload: ItemData
}

/** Yields the files of a request, one after the other. */
async function* uploadsIn(engine: Engine, incoming: Incoming): AsyncGenerator<UploadedFile, undefined> {
  if (isForm(incoming)) {
    for await (const file of filesIn(incoming))
      yield { body: file.body, payload: { ...fieldsOf(file, engine), filename: file.filename } }
    return
  }
  const body = await incoming.body()
  if (body !== undefined) yield* filesOfJson(body)
}

/** Returns the fields of a file, with values in the types of its collection. */
function fieldsOf({ fields, type }: FormFile, engine: Engine): ItemData {
  const known = filesOf(internalsOf(engine)).collection.fields
  const read = [...fields].map(([name, text]) => [name, formValue(known.get(name), text)] as const)
  return { ...(type !== undefined && { type }), ...Object.fromEntries(read) }
}

// Values of form fields. Forms hold nothing but texts.

/** Returns the value of a field; unknown fields are refused later, whatever their value. */
function formValue(field: Field | undefined, text: string): unknown {
  if (!field) return text
  if (text.trim() === 'null') return null
  const family = isToMany(field) ? 'json' : field.value.family
  const { form } = familyRow(family)
  return form ? form.read(text) : text
}

// Files in JSON: the bytes of each are text, beside its fields.

interface JsonFile {
  readonly body: Uint8Array
  readonly payload: Readonly<Record<string, unknown>>
}

function filesOfJson(body: unknown): readonly JsonFile[] {
  return Array.isArray(body) ? body.map((one, index) => fileOf(one, [index])) : [fileOf(body, [])]
}

function fileOf(one: unknown, path: Path): JsonFile {
  if (!isRecord(one)) throw fault('INVALID_PAYLOAD', `A file is an object, not ${quote(one)}.`, { path })
  const { base64, ...input } = one
  return { body: bytesOf(base64, [...path, 'base64']), payload: input }
}

function bytesOf(text: unknown, path: Path): Uint8Array {
  if (typeof text === 'string' && text.length % 4 === 0 && isBase64.test(text))
    return Buffer.from(text, 'base64')
  const mistake = typeof text === 'string' ? 'this string is not' : `not ${quote(text)}`
  throw fault('INVALID_PAYLOAD', `"base64" holds the bytes of a file, written as base64: ${mistake}.`, {
    path,
    hint: 'Send large files in a form, as they are: multipart/form-data.',
  })
}

const isBase64 = /^[A-Za-z\d+/]*={0,2}$/
