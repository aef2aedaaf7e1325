// Renderers with a file in a storage, and all that they do to the storage counted.
import { createHash } from 'node:crypto'
import { type AssetSettings, readSettings } from '../../src/images/asset-settings.ts'
import { readAssetRequest } from '../../src/images/image-request.ts'
import { type ImageLibrary, imageLibrary } from '../../src/images/load-sharp.ts'
import { streamOf } from '../../src/storage/outgoing-bytes.ts'
import { memoryStorage, type Storage } from '../../src/storage.ts'
import { findOrMakeVariant, type Variant } from '../../src/variants/find-or-make.ts'
import { openRenderer, type Renderer } from '../../src/variants/renderer.ts'
import type { SourceRow } from '../../src/variants/source-file.ts'
import { quarters } from '../images/sample-images.ts'

export interface World {
  readonly storage: Storage
  readonly file: SourceRow
  readonly renderer: Renderer
  /** What was asked of the storage, in order. */
  readonly calls: string[]
  /** How many pictures were begun. */
  readonly begun: () => number
  readonly ask: (
    parameters: Readonly<Record<string, unknown>>,
    options?: { readonly signal?: AbortSignal; readonly accept?: string; readonly file?: SourceRow },
  ) => Promise<Variant>
  readonly variants: () => Promise<string[]>
}

export const fileId = '0b9f2d1e-0000-4000-8000-000000000001'

export async function newWorld(
  options: {
    readonly settings?: AssetSettings
    readonly storage?: Storage
    readonly bytes?: Uint8Array
    readonly loadLibrary?: () => Promise<ImageLibrary>
  } = {},
): Promise<World> {
  const calls: string[] = []
  const home = options.storage ?? memoryStorage()
  const storage = noting(home, calls)
  const bytes = options.bytes ?? (await quarters(400, 200).jpeg().toBuffer())
  await home.write(`${fileId}.jpg`, bytes)
  const checksum = createHash('sha1').update(bytes).digest('hex')
  const own: SourceRow = { id: fileId, filename_disk: `${fileId}.jpg`, type: 'image/jpeg', checksum }
  const allowance = readSettings(options.settings, 2)
  let begun = 0
  const loadLibrary = async () => {
    begun += 1
    return await (options.loadLibrary ?? imageLibrary)()
  }
  const renderer = openRenderer(allowance, loadLibrary)
  return {
    storage,
    file: own,
    renderer,
    calls,
    begun: () => begun,
    async ask(parameters, { signal, accept, file = own } = {}) {
      const request = readAssetRequest(parameters, allowance, accept)
      if (!request) throw new Error('nothing was asked for')
      return await findOrMakeVariant(file, request, { storage, renderer, signal })
    },
    variants: () => keysBelow(home, 'variants/'),
  }
}

export async function keysBelow(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys
}

function noting(storage: Storage, calls: string[]): Storage {
  return {
    read: (key, range) => note('read', key, () => storage.read(key, range)),
    stat: (key) => note('stat', key, () => storage.stat(key)),
    write: (key, body, options) => note('write', key, () => storage.write(key, body, options)),
    delete: (key) => note('delete', key, () => storage.delete(key)),
    list: (prefix) => note('list', prefix, () => storage.list(prefix)),
  }

  function note<Answer>(verb: string, key: string, work: () => Answer): Answer {
    calls.push(`${verb} ${key.startsWith('variants/') ? 'variant' : 'source'}`)
    return work()
  }
}

export const bytesOf = async (variant: Variant): Promise<Buffer> =>
  Buffer.from(await new Response(streamOf(await variant.open())).arrayBuffer())
