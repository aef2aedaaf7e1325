// Writer of uploads: permissions are checked before the first byte is read, and a row is written once the last one has arrived.

import type { EngineInternals } from '../engine/engine.ts'
import type { FileKeeping } from '../engine/file-options.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import { withCallerVariables } from '../items/caller-variables.ts'
import { answerShape } from '../items/read/answer-shape.ts'
import { type WrittenAnswer, writeAndRead } from '../items/write/write-and-read.ts'
import type { Key } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { readPayload } from '../plan/write/payload.ts'
import { isRecord } from '../values/guards.ts'
import { gateOf, withoutNames, writtenCollection } from '../writes/authorize/writable-fields.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import type { Intent } from '../writes/create-or-update.ts'
import { keysIn } from '../writes/stored/rows-by-key.ts'
import { write } from '../writes/write.ts'
import { safeFileName } from './file-name.ts'
import { filesOf, storedFile } from './file-row.ts'
import { type Announced, arrive, drop, type Received } from './receive.ts'

export interface UploadWriter {
  /** Engine of the caller, with the collection of files in its schema. */
  readonly engine: EngineInternals
  readonly files: FileKeeping
  /** Form of the returned files. */
  readonly answer: WrittenAnswer
  readonly options: Options
}

/** Creates a writer; refuses callers who may not do this to any file. */
export async function uploadWriterFor(
  engine: EngineInternals,
  action: 'create' | 'update',
  query: object | undefined,
  options: Options,
): Promise<UploadWriter> {
  const files = filesOf(engine)
  const scoped = await withCallerVariables(engine.withOwn(), query)
  const { name } = files.collection
  writtenCollection(scoped, name, action)
  return { engine: scoped, files, answer: { shape: answerShape(scoped, name, { query }), query }, options }
}

/** Splits the description of an upload from the fields of its row. */
export function readUpload(input: unknown): Announced & { readonly fields: ItemData } {
  if (!isRecord(input))
    throw fault('INVALID_PAYLOAD', `The fields of a file are an object, not ${quote(input)}.`)
  const { filename, type, ...fields } = input
  if (typeof filename !== 'string')
    throw fault('INVALID_PAYLOAD', `A file has a name, such as "photo.jpg", and not ${quote(filename)}.`, {
      path: ['filename'],
    })
  if (type !== undefined && typeof type !== 'string')
    throw fault('INVALID_PAYLOAD', `A type is text such as "image/png", not ${quote(type)}.`, {
      path: ['type'],
    })
  return { filename: safeFileName(filename), type, fields }
}

/** Refuses mistakes that can be found without the bytes. `names`: other fields that are written. */
export function checkFields(
  { engine, files: { collection } }: UploadWriter,
  action: 'create' | 'update',
  fields: ItemData,
  ...names: readonly string[]
): void {
  const { problems } = newWriteContext(engine, {})
  const { refusing, reaches } = gateOf(engine)
  const input = Object.keys(fields).filter((name) => fields[name] !== undefined)
  const refused = refusing(collection, action)([...input, ...names], [], problems)
  const isKeyed = action === 'update'
  const place = { collection, path: [], problems, isKeyed, mayIncrement: isKeyed }
  readPayload(withoutNames(fields, refused), { ...place, ...(reaches && { reaches }) })
  problems.throwIfAny()
}

/** Returns the fields that follow from the bytes. Fields that a host's collection does not have are left out. */
export function valuesOfBytes(
  { engine, files: { collection } }: UploadWriter,
  { place, type, size, checksum, width, height }: Received,
  more: ItemData,
): ItemData {
  const all = {
    ...more,
    filename_disk: place,
    type,
    filesize: size,
    width: width ?? null,
    height: height ?? null,
    checksum,
    uploaded_on: engine.clock(),
    // Name of the only storage in the reference service.
    storage: 'local',
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => collection.fields.has(name)))
}

/** Writes rows in a transaction, and returns them. */
export async function writeRows(
  { files: { collection }, answer, options }: UploadWriter,
  intents: readonly Intent[],
  inside: EngineInternals,
): Promise<readonly unknown[]> {
  return writeAndRead(answer, inside, options, async () =>
    keysIn(await write(collection, intents, newWriteContext(inside, options))),
  )
}

/** Bytes, and the file to which they belong. */
export interface Delivery {
  readonly id: string
  readonly received: Received
}

/** Keeps bytes whose rows are written: once the transaction is committed. */
export async function keepBytes({ engine }: UploadWriter, deliveries: readonly Delivery[]): Promise<void> {
  const done = async () => {
    for (const { received } of deliveries) arrive(engine, received.place)
  }
  const undone = async () => {
    for (const { received } of deliveries) await drop(engine, received.place)
  }
  if (engine.unit) engine.unit.addConsequences([{ done, undone }])
  else await done()
}

/** Deletes bytes after a failure, unless their row exists: a commit may succeed and still report an error. */
export async function dropUnlessKept(
  { engine }: UploadWriter,
  deliveries: readonly Delivery[],
): Promise<void> {
  for (const { id, received } of deliveries)
    if (!engine.unit && (await mayBeKept(engine, id, received.place))) arrive(engine, received.place)
    else await drop(engine, received.place)
}

async function mayBeKept(engine: EngineInternals, id: string, place: string): Promise<boolean> {
  try {
    const key: Key = namedKey(filesOf(engine).collection, id, undefined)
    return (await storedFile(engine, key, {}))?.filename_disk === place
  } catch {
    // Orphaned bytes are better than a file without bytes.
    return true
  }
}
