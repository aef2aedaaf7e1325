// HTTP requests for files: items whose bytes come in forms, or in JSON.

import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { filesOf } from '../files/file-row.ts'
import { updateFile } from '../files/update-file.ts'
import { createFiles, dropAll, type HandedIn, handIn } from '../files/upload-file.ts'
import { uploadWriterFor } from '../files/write-file.ts'
import { formValue } from './form-values.ts'
import { queryOf } from './item-body.ts'
import * as items from './items.ts'
import { filesOfJson } from './json-files.ts'
import { dataOrEmpty, empty, type Incoming, json, type Outgoing } from './messages.ts'
import { type FormFile, filesIn, isForm } from './multipart/form.ts'

/** Uses a handler of items for files, whose collection need not be in the schema. */
const of =
  <Rest extends readonly string[]>(
    answer: (engine: Engine, collection: string, incoming: Incoming, ...rest: Rest) => Promise<Outgoing>,
  ) =>
  (engine: Engine, incoming: Incoming, ...rest: Rest): Promise<Outgoing> =>
    answer(engine.withOwn(), filesOf(engine).collection.name, incoming, ...rest)

export const list = of(items.list)
export const search = of(items.search)
export const read = of<[string]>(items.read)
export const updateSeveral = of(items.updateSeveral)
export const remove = of<[string]>(items.remove)
export const removeSeveral = of(items.removeSeveral)

const changeItem = of<[string]>(items.update)

/** Creates all files of a form or of JSON, or none of them. There has to be at least one. */
export async function create(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const desk = await uploadWriterFor(engine, 'create', queryOf(incoming, engine), incoming.options)
  const files: HandedIn[] = []
  try {
    for await (const { body, given } of handedIn(engine, incoming))
      files.push(await handIn(desk, body, given))
    if (files.length === 0) throw noFiles()
  } catch (error) {
    await dropAll(desk, files)
    throw error
  }
  const made = await createFiles(desk, files)
  if (made.length === 1) return dataOrEmpty(made[0])
  const seen = made.filter((file) => file !== null)
  return seen.length === 0 ? empty() : json(JSON.stringify({ data: seen }))
}

/** Updates the fields of a file, or with a form also its bytes. */
export async function update(engine: Engine, incoming: Incoming, id: string): Promise<Outgoing> {
  if (!isForm(incoming)) return changeItem(engine, incoming, id)
  const query = queryOf(incoming, engine)
  const files = filesIn(incoming)
  const { value: file } = await files.next()
  if (!file) throw noFiles()
  const { body, filename } = file
  const data = { ...given(file, engine), filename }
  try {
    return dataOrEmpty(await updateFile(engine, id, data, alone(body, files), query, incoming.options))
  } finally {
    // A refused body is not read to its end, and would block the next request of the connection.
    await files.return(undefined)
  }
}

/** Returns the bytes of the only file of a form, which nothing may follow. It is not read before it is requested. */
function alone(body: ReadableStream<Uint8Array>, files: AsyncIterator<FormFile, undefined>): typeof body {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        const { done: isLast } = await files.next()
        if (isLast) return controller.close()
        throw fault('INVALID_PAYLOAD', 'One file takes the place of another, and not several.', {
          path: ['body'],
        })
      },
    },
    { highWaterMark: 0 },
  )
}

const noFiles = () => fault('INVALID_PAYLOAD', 'There is no file in the body.', { path: ['body'] })

/** Yields the bytes of files, and the fields of each, one after the other. */
async function* handedIn(engine: Engine, incoming: Incoming) {
  if (isForm(incoming)) {
    for await (const file of filesIn(incoming))
      yield { body: file.body, given: { ...given(file, engine), filename: file.filename } }
    return
  }
  const body = await incoming.body()
  if (body !== undefined) yield* filesOfJson(body)
}

/** Returns the fields of a file, with values in the types of its collection. */
function given({ fields, type }: FormFile, engine: Engine): Readonly<Record<string, unknown>> {
  const known = filesOf(engine).collection.fields
  const read = [...fields].map(([name, text]) => [name, formValue(known.get(name), text)] as const)
  return { ...(type !== undefined && { type }), ...Object.fromEntries(read) }
}
