// Processes that make variants in one folder: killed in the middle, and many at once.
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { fileStorage } from '../../src/storage.ts'
import { quarters } from '../images/sample-images.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { folders } from '../storage/folder.ts'
import { builtPrograms } from '../support/built.ts'
import { isLong } from '../support/long-runs.ts'
import { keysBelow } from './render-fixture.ts'

const folder = folders()

const programOf = builtPrograms({ 'render-process': 'test/variants/render-process.ts' })

function run(...given: readonly string[]): Promise<string | number | null> {
  const child = spawn(process.execPath, [programOf('render-process'), ...given], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ?? code))
  })
}

async function rootWithSource(): Promise<string> {
  const root = await folder()
  await fileStorage({ root }).write('source.png', await quarters(200, 100).png().toBuffer())
  return root
}

/** The variants in a folder, each of which has to be whole. */
async function wholeVariants(root: string): Promise<readonly string[]> {
  const storage = fileStorage({ root })
  const keys = await keysBelow(storage, 'variants/')
  for (const key of keys) {
    const bytes = Buffer.from(await new Response(await storage.read(key)).arrayBuffer())
    const { info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([64, 32])
  }
  return keys
}

/** Of so many calls one is the last, another one each run. */
const stride = isLong ? 1 : 2

it(`a process killed at any call leaves a whole variant or none (QUERNEL_SEED=${fuzzSeed})`, async () => {
  const seen = { none: 0, whole: 0 }
  for (let k = 1 + (fuzzSeed % stride); ; k += stride) {
    const root = await rootWithSource()
    const end = await run(root, String(k))
    const keys = await wholeVariants(root)
    seen[keys.length === 0 ? 'none' : 'whole'] += 1
    if (end === 0) break
    expect(end).toBe('SIGKILL')
    if (k % 5 === 0) {
      // Whatever was left lies in nobody's way.
      expect(await run(root, '0')).toBe(0)
      expect(await wholeVariants(root)).toHaveLength(1)
    }
  }
  expect(seen.none).toBeGreaterThanOrEqual(10 / stride)
  expect(seen.whole).toBeGreaterThanOrEqual(3 / stride)
})

it('eight processes that make one variant at once leave one, and no scraps', async () => {
  const root = await rootWithSource()
  const ends = await Promise.all(Array.from({ length: 8 }, () => run(root, '0')))
  expect(ends).toEqual(ends.map(() => 0))
  expect(await wholeVariants(root)).toHaveLength(1)
  expect(await readdir(join(root, '.quernel'))).toEqual([])
})
