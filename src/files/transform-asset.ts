// Asset: the bytes of a file, original or transformed.

import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions, optionNames, text } from '../errors/check-options.ts'
import { isEngineError } from '../errors/errors.ts'
import { callKinds, type Options } from '../execution/database.ts'
import type { AssetParameters } from '../images/image-parameters.ts'
import type { ImageRequest } from '../images/image-request.ts'
import type { Schema } from '../schema/model.ts'
import { isKey } from '../storage/key.ts'
import { type OpenedFile, openStored } from '../storage/opened-file.ts'
import { type OutgoingChunks, streamOf } from '../storage/outgoing-bytes.ts'
import type { ByteRange, FileStat } from '../storage/storage.ts'
import { createHash } from '../values/from-node.ts'
import { nameWithType, typeInRow } from './content-type.ts'
import { type FileRow, filesOf, noFile, visibleFile } from './file-row.ts'
import { imagesOf } from './open-images.ts'

/** An asset and its metadata, before it is read. */
export interface Asset {
  readonly type: string
  readonly size: number
  /** Entity tag, without quotes. It differs for different bytes. */
  readonly etag: string
  readonly lastModified: Date
  /** True for a variant, false for the original. */
  readonly variant: boolean
  readonly width?: number
  readonly height?: number
  readonly filename: string
  /** True if another client could get other bytes, because of the types that it accepts. */
  readonly vary?: boolean
  /** Opens the bytes; called once at most. Read them to their end, or cancel them. */
  readonly open: (range?: ByteRange) => Promise<OutgoingChunks>
  /** Closes an asset that is not opened. */
  readonly close: () => void
}

/** Options of `transformAsset` besides the parameters. */
export interface AssetOptions extends Pick<Options, 'signal' | 'timeoutMs'> {
  /** Types that the client accepts, for `format: 'auto'`: the `Accept` header of its request. */
  readonly accept?: string | undefined
}

const assetOptions = optionNames<AssetOptions>({ ...callKinds, accept: text })

/** Finds the asset for a file and parameters. It has to be opened or closed. */
export async function findAsset(
  engine: EngineInternals,
  fileId: string,
  parameters: unknown,
  options: AssetOptions = {},
): Promise<Asset> {
  const request = imagesOf(engine).readRequest(parameters, options.accept)
  const file = await visibleFile(engine, fileId, options)
  try {
    return await assetOf(engine, file, request, options)
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'NOT_FOUND') throw error
    // Its bytes may have been replaced since its row was read; then the row has changed.
    const now = await visibleFile(engine, fileId, options)
    // The storage key is not disclosed.
    if (now.filename_disk === file.filename_disk) throw noFile()
    return assetOf(engine, now, request, options)
  }
}

/** Returns the requested variant of a file, or the original. */
async function assetOf(
  engine: EngineInternals,
  file: FileRow,
  request: ImageRequest | undefined,
  { signal }: AssetOptions,
): Promise<Asset> {
  if (!request) return originalOf(engine, file)
  const { storage } = filesOf(engine)
  const variant = await imagesOf(engine).variant(file, request, { storage, signal })
  const filename = nameWithType(file.filename_download ?? file.id, variant.type)
  return { ...variant, filename, close: () => undefined }
}

/** Returns the original of a file. */
async function originalOf(engine: EngineInternals, file: FileRow): Promise<Asset> {
  const { storage } = filesOf(engine)
  const key = file.filename_disk
  // A table of the host's may hold invalid keys.
  const opened = isKey(key) ? await openStored(storage, key) : undefined
  if (!opened) throw noFile()
  return { ...describe(file, opened), open: opened.chunks, close: opened.close }
}

function describe(file: FileRow, { stat }: OpenedFile): Omit<Asset, 'open' | 'close'> {
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
  }
}

/** Returns a version that distinguishes the bytes of a file from all earlier and later ones. */
function versionOf({ filename_disk }: FileRow, { size, lastModified, etag }: FileStat): string {
  const known = JSON.stringify([filename_disk, size, lastModified.getTime(), etag ?? null])
  return createHash('sha1').update(known).digest('base64url')
}

/** A transformed file with its bytes. Read them to their end, or cancel them. */
export interface TransformedAsset extends Omit<Asset, 'open' | 'close' | 'filename' | 'vary'> {
  readonly body: ReadableStream<Uint8Array>
}

/** Returns the bytes of a file, transformed by the parameters.
 *  @example const { body, type } = await transformAsset(engine, photo.id, { width: 100, format: 'webp' })
 *  const response = new Response(body, { headers: { 'Content-Type': type } })
 *  response.headers.get('content-type') // → 'image/webp' */
export async function transformAsset<S extends Schema>(
  engine: Engine<S>,
  fileId: string,
  parameters: AssetParameters = {},
  options: AssetOptions = {},
): Promise<TransformedAsset> {
  const core = internalsOf(engine)
  checkOptions(options, assetOptions)
  const asset = await findAsset(core, fileId, parameters, options)
  const { open, close: _close, filename: _name, vary: _vary, ...metadata } = asset
  return { ...metadata, body: streamOf(await open()) }
}
