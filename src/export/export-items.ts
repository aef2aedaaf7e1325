import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions, flag, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { callKinds, type Options } from '../execution/database.ts'
import { beginRead } from '../items/read/begin-read.ts'
import { listRequest } from '../items/read/read-request.ts'
import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import { planRequest } from '../prepared/plan-request.ts'
import { chunksOf, holdsConnection } from '../prepared/streams/stream-rows.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { bodyOf, textOf } from './file-body.ts'
import { type ExportFormat, formats, isFormat } from './formats.ts'
import { isTruncated } from './truncation.ts'

/** Options of `exportItems` besides its query. */
export interface ExportOptions extends Options {
  /** True if CSV escapes texts that spreadsheets would take for formulas. By default true. */
  readonly guardFormulas?: boolean | undefined
}

const exportOptions = optionNames<ExportOptions>({ ...callKinds, guardFormulas: flag })

/** An exported file, generated while it is read. */
export interface ExportedFile {
  /** Bytes, generated while they are read. Read them to their end or cancel them: until then they may hold a connection. */
  readonly body: ReadableStream<Uint8Array>
  /** Media type. */
  readonly type: string
  readonly filename: string
  /** True if a default or maximum limit truncates a list. */
  readonly truncated: boolean
}

/** Exports the items of a list as a file, in constant memory. Lists have the same limits as in `listItems`.
 *  @example const { body } = await exportItems(engine, 'articles', { fields: ['id', 'title'], limit: -1 }, 'csv')
 *  await new Response(body).text() // → 'id,title\r\n1,Tea\r\n2,Bread\r\n3,Looms\r\n' */
export function exportItems<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  format: ExportFormat,
  options?: ExportOptions,
): Promise<ExportedFile>
export async function exportItems(
  engine: Engine,
  collection: string,
  query: object,
  format: string,
  options: ExportOptions = {},
): Promise<ExportedFile> {
  const core = internalsOf(engine)
  checkOptions(options, exportOptions)
  const { guardFormulas = true, ...reading } = options
  if (!isFormat(format)) throw noFormat(format)
  const { type, extension, writer } = formats[format]
  const { query: requested, scoped, after } = await beginRead(core, collection, query)
  const reader = scoped.reading()
  const list = planOf(reader, collection, requested, format)
  const truncated = await isTruncated(list, reader, reading)
  const make = (signal: AbortSignal) =>
    textOf(chunksOf(list, reader, { ...reading, signal }), writer({ list, guardsFormulas: guardFormulas }))
  // A reader that holds no connection needs no timeout.
  const idleMs = holdsConnection(reader) ? reader.streamIdleMs : Number.POSITIVE_INFINITY
  const body = await bodyOf(make, reading.signal, idleMs)
  if (after) await after(undefined)
  return { body, type, filename: fileName(collection, extension, reader.clock()), truncated }
}

function planOf(engine: EngineInternals, collection: string, query: unknown, format: ExportFormat): ListPlan {
  const request = listRequest(engine, collection, query, 'list')
  const { export: named = format, ...requested } = request.query
  if (named !== format)
    throw fault(
      'INVALID_QUERY',
      `The query wants a file of ${quote(named)}, and the call one of "${format}".`,
      {
        path: ['export'],
      },
    )
  const { list, query: parsed } = planRequest({ ...request, query: requested }, engine)
  if (parsed.meta)
    throw fault('INVALID_QUERY', 'A file holds the items of a list, and nothing about them.', {
      path: ['meta'],
    })
  return list
}

function noFormat(format: unknown) {
  const names = Object.keys(formats)
  return fault('INVALID_QUERY', `There is no format ${quote(format)}; there are ${names.join(', ')}.`, {
    path: ['export'],
    hint: typeof format === 'string' ? suggestion(format, names) : undefined,
  })
}

/** Returns a name for a file of a collection: `articles-20240301T120000Z.csv`. */
export function fileName(collection: string, extension: string, at: Date): string {
  // Any file system accepts these characters, and 48 of them in any script.
  const name = [...collection.replace(/[^\p{L}\p{M}\p{N}_-]/gu, '_')].slice(0, 48).join('')
  const moment = at.toISOString().replace(/[-:]|\.\d+/g, '')
  return `${name}-${moment}.${extension}`
}
