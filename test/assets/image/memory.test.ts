// Small files that stand for very many pixels.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { make, refusal } from './pictures.ts'

const script = fileURLToPath(new URL('./picture-memory.ts', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-pictures-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const flat = (side: number, channels: 3 | 4): Sharp =>
  sharp({
    create: { width: side, height: side, channels, background: { r: 200, g: 30, b: 30, alpha: 0.5 } },
  })

interface Bomb {
  readonly title: string
  /** The bytes that reading it takes for each pixel. */
  readonly held: number
  readonly written: (side: number) => Sharp
}

const bombs: readonly Bomb[] = [
  { title: 'avif', held: 19, written: (side) => flat(side, 4).avif({ effort: 0 }) },
  { title: 'webp', held: 8, written: (side) => flat(side, 4).webp({ effort: 0 }) },
  { title: 'gif', held: 5, written: (side) => flat(side, 3).gif({ effort: 1 }) },
  {
    title: 'progressive jpg',
    held: 6,
    written: (side) => flat(side, 3).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }),
  },
  {
    title: 'progressive jpg of half the colours',
    held: 3,
    written: (side) => flat(side, 3).jpeg({ progressive: true }),
  },
  { title: 'progressive png', held: 4.5, written: (side) => flat(side, 4).png({ progressive: true }) },
  {
    title: 'progressive png of sixteen bits',
    held: 8.5,
    written: (side) => flat(side, 4).toColourspace('rgb16').png({ progressive: true }),
  },
]

const lineByLine: readonly Bomb[] = [
  { title: 'jpg', held: 0, written: (side) => flat(side, 3).jpeg() },
  { title: 'png', held: 0, written: (side) => flat(side, 4).png() },
  { title: 'png of sixteen bits', held: 0, written: (side) => flat(side, 4).toColourspace('rgb16').png() },
  { title: 'tiff', held: 0, written: (side) => flat(side, 4).tiff({ compression: 'deflate' }) },
]

/** The longest side, in steps of ten, that the limits let pass. */
const longestOf = ({ held }: Bomb): number =>
  Math.floor(
    Math.sqrt(Math.min(100_000_000, held === 0 ? Number.POSITIVE_INFINITY : 256_000_000 / held)) / 10,
  ) * 10

describe('a source that the limits let pass takes no more than 400 MB of the process', () => {
  it.each([...bombs, ...lineByLine])('$title', async (bomb) => {
    const path = join(home, bomb.title.replaceAll(' ', '-'))
    await writeFile(path, await bomb.written(longestOf(bomb)).toBuffer())
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, path], {
      cwd: root,
    })
    expect(JSON.parse(stdout)).toEqual({
      outcome: 100,
      bytes: expect.toSatisfy((bytes: number) => bytes <= 400_000_000),
    })
  })
})

describe('a source that would take more memory than the limit is refused before it is unpacked', () => {
  it.each(bombs)('$title', async ({ held, written }) => {
    const bytes = await written(100).toBuffer()
    const inputMemory = Math.ceil(held * 100 * 100)
    const made = (limit: number) =>
      make(bytes, { width: 10, format: 'png' }, { settings: { limits: { inputMemory: limit } } })
    expect((await made(inputMemory)).width).toBe(10)
    const { code, message } = await refusal(() => made(inputMemory - 1))
    expect([code, message]).toEqual([
      'ILLEGAL_ASSET_TRANSFORMATION',
      `Reading this file of 100 by 100 pixels takes about ${inputMemory} bytes of memory; ${inputMemory - 1} is the most.`,
    ])
  })

  it.each(lineByLine)('but never $title, which is read line by line', async ({ written }) => {
    const settings = { limits: { inputMemory: 1 } }
    expect((await make(await written(100).toBuffer(), { width: 10 }, { settings })).width).toBe(10)
  })
})
