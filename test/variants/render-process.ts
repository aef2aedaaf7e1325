// A process that makes a variant: `render-process.ts <root> <calls>`. It kills itself at that call of the file system, or never at 0.
import sharp from 'sharp'
import { readSettings } from '../../src/images/asset-settings.ts'
import { readAssetRequest } from '../../src/images/image-request.ts'
import { streamOf } from '../../src/storage/outgoing-bytes.ts'
import { fileStorage } from '../../src/storage.ts'
import { findOrMakeVariant } from '../../src/variants/find-or-make.ts'
import { openRenderer } from '../../src/variants/renderer.ts'
import { fsWith } from '../storage/failing-fs.ts'

const [root = '', last = '0'] = process.argv.slice(2)
let left = Number(last)
const fs = fsWith(async () => {
  left -= 1
  if (left !== 0) return
  process.kill(process.pid, 'SIGKILL')
  // The signal need not arrive at once, and nothing may be done after it.
  await new Promise(() => undefined)
})

async function main(): Promise<void> {
  const storage = fileStorage({ root, fs })
  const allowance = readSettings({}, 2)
  const renderer = openRenderer(allowance, async () => sharp)
  const request = readAssetRequest({ width: 64, format: 'webp' }, allowance, undefined)
  if (!request) throw new Error('nothing was asked for')
  const file = { id: 'file', filename_disk: 'source.png', type: 'image/png', checksum: 'one' }
  const variant = await findOrMakeVariant(file, request, { storage, renderer })
  const bytes = await new Response(streamOf(await variant.open())).arrayBuffer()
  if (bytes.byteLength !== variant.size) throw new Error('a variant was not whole')
}

void main()
