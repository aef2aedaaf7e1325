// The bytes of a file, as they are stored or as something was made of them.

import { createHash } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import { checkOptions, optionNames, text } from '../errors/check-options.ts'
import { isEngineError } from '../errors/errors.ts'
import { callKinds, type Options } from '../execution/database.ts'
import type { AssetParameters } from '../images/image-parameters.ts'
import type { Schema } from '../schema/model.ts'
import { isKey } from '../storage/key.ts'
import type { ByteRange, FileStat } from '../storage/storage.ts'
import type { Order } from '../variants/images.ts'
import { nameWithType, typeInRow } from './content-type.ts'
import { type FileRow, fileSeen, filesOf, noFile } from './file-row.ts'

/** Bytes that can be had, and what is known of them before. */
export interface Asset {
  readonly type: string
  readonly size: number
  /** Another one for other bytes, without quotes. */
  readonly etag: string
  readonly lastModified: Date
  /** Whether something was made of the file. */
  readonly variant: boolean
  readonly width?: number
  readonly height?: number
  readonly filename: string
  /** Whether another client could get other bytes, because of what it accepts. */
  readonly vary?: boolean
  /** Nothing is opened before. Read the stream to its end, or cancel it. */
  readonly open: (range?: ByteRange) => Promise<ReadableStream<Uint8Array>>
}

/** What `transformAsset` may be told besides the parameters. */
export interface AssetOptions extends Pick<Options, 'signal' | 'timeoutMs'> {
  /** What the client takes, for `format: 'auto'`: the `Accept` of its request. */
  readonly accept?: string | undefined
}

const assetOptions = optionNames<AssetOptions>({ ...callKinds, accept: text })

/** The bytes that a file and parameters mean, not opened yet. */
export async function findAsset(
  engine: Engine,
  fileId: string,
  parameters: unknown,
  options: AssetOptions = {},
): Promise<Asset> {
  const order = engine.pictures.ordered(parameters, options.accept)
  const find = (row: FileRow) => (order ? orderedOf(engine, row, order, options) : originalOf(engine, row))
  const file = await fileSeen(engine, fileId, options)
  try {
    return await find(file)
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'NOT_FOUND') throw error
    // Its bytes may have been replaced since its row was read: the row tells of others then.
    const now = await fileSeen(engine, fileId, options)
    // Where they should be is nobody's business.
    if (now.filename_disk === file.filename_disk) throw noFile()
    return find(now)
  }
}

/** What is made of a file. */
async function orderedOf(
  engine: Engine,
  file: FileRow,
  order: Order,
  { signal }: AssetOptions,
): Promise<Asset> {
  const { storage } = filesOf(engine)
  const variant = await order(file, { storage, signal })
  return { ...variant, filename: nameWithType(file.filename_download ?? file.id, variant.type) }
}

/** The file as it is stored. */
export async function originalOf(engine: Engine, file: FileRow): Promise<Asset> {
  const { storage } = filesOf(engine)
  const key = file.filename_disk
  // A table of the host's may say anything of where its files are.
  const stat = isKey(key) ? await storage.stat(key) : undefined
  if (!stat) throw noFile()
  const { type, width, height } = file
  return {
    type: typeInRow(type),
    size: stat.size,
    etag: versionOf(file, stat),
    lastModified: stat.lastModified,
    variant: false,
    ...(typeof width === 'number' && { width }),
    ...(typeof height === 'number' && { height }),
    filename: file.filename_download ?? file.id,
    open: (range) => storage.read(key, range),
  }
}

/** Tells the bytes of a file from all that it had before or will have. */
export function versionOf({ filename_disk }: FileRow, { size, lastModified, etag }: FileStat): string {
  const known = JSON.stringify([filename_disk, size, lastModified.getTime(), etag ?? null])
  return createHash('sha1').update(known).digest('base64url')
}

/** What a file was made into, with its bytes. Read them to their end, or cancel them. */
export interface TransformedAsset extends Omit<Asset, 'open' | 'filename' | 'vary'> {
  readonly body: ReadableStream<Uint8Array>
}

/** The bytes of a file, made into what the parameters say.
 *  @example const { body, type } = await transformAsset(engine, photo.id, { width: 100, format: 'webp' })
 *  const response = new Response(body, { headers: { 'Content-Type': type } })
 *  response.headers.get('content-type') // → 'image/webp' */
export async function transformAsset<S extends Schema>(
  engine: Engine<S>,
  fileId: string,
  parameters: AssetParameters = {},
  options: AssetOptions = {},
): Promise<TransformedAsset> {
  checkOptions(options, assetOptions)
  const {
    open,
    filename: _name,
    vary: _vary,
    ...known
  } = await findAsset(engine, fileId, parameters, options)
  return { ...known, body: await open() }
}
