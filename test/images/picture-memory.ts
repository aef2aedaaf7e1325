// A process of its own, in which nothing but one picture takes memory. It prints what became of the picture, and the most bytes that it held.
import { readFileSync } from 'node:fs'
import { isEngineError } from '../../src/errors/errors.ts'
import { readSettings } from '../../src/images/asset-settings.ts'
import { readAssetRequest } from '../../src/images/image-request.ts'
import { imageLibrary } from '../../src/images/load-sharp.ts'
import { makePicture } from '../../src/images/transform.ts'

const [path = ''] = process.argv.slice(2)
const allowance = readSettings({}, 1)
const request = readAssetRequest({ width: 100, format: 'jpg' }, allowance, undefined)
if (!request) throw new Error('nothing was asked for')
const { limits } = allowance
const { signal } = new AbortController()
const making = { request, focus: {}, limits, signal, deadline: performance.now() + 3_600_000 }
const outcome = await makePicture(await imageLibrary(), readFileSync(path), making).then(
  ({ width }) => width,
  (error: unknown) => (isEngineError(error) ? error.code : String(error)),
)
console.log(JSON.stringify({ outcome, bytes: process.resourceUsage().maxRSS * 1_024 }))
