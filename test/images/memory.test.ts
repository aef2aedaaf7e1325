// Small files that stand for very many pixels.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rejectionOf } from '../support/outcome.ts'
import { pngChunk } from './png-chunk.ts'
import { make } from './sample-images.ts'

const script = fileURLToPath(new URL('./picture-memory.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-pictures-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const flat = (side: number, channels: 3 | 4): Sharp =>
  sharp({ create: { width: side, height: side, channels, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } })

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
    expect(await madeAlone(path)).toEqual({ outcome: 100, bytes: little })
  })
})

const little = expect.toSatisfy((bytes: number) => bytes <= 400_000_000)

/** What becomes of a file in a process of its own, and how much that holds. */
async function madeAlone(path: string): Promise<unknown> {
  const options = ['--import', 'tsx', script, path]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root })
  return JSON.parse(stdout)
}

/** 800 MB of zeros in as many KB. */
const zeros = (): Buffer => deflateSync(Buffer.alloc(800_000_000))

/** Right behind its head, which has 33 bytes. */
async function pngWith(name: string, begins: string): Promise<Buffer> {
  const png = await flat(40, 3).png().toBuffer()
  const more = pngChunk(name, Buffer.concat([Buffer.from(begins, 'latin1'), zeros()]))
  return Buffer.concat([png.subarray(0, 33), more, png.subarray(33)])
}

/** A segment as long as can be, again and again. */
async function jpgWith(marker: number, times: number): Promise<Buffer> {
  const jpg = await flat(40, 3).jpeg().toBuffer()
  const segment = Buffer.alloc(65_537)
  segment.writeUInt16BE(marker, 0)
  segment.writeUInt16BE(65_535, 2)
  return Buffer.concat([jpg.subarray(0, 2), ...Array<Buffer>(times).fill(segment), jpg.subarray(2)])
}

/** The last pass over the picture, two thousand times more. */
async function jpgOfPasses(): Promise<Buffer> {
  const jpg = await flat(3_000, 3).jpeg({ progressive: true }).toBuffer()
  const [pass, rest] = [
    jpg.subarray(jpg.lastIndexOf('\xff\xda', undefined, 'latin1'), -2),
    jpg.subarray(0, -2),
  ]
  return Buffer.concat([rest, ...Array<Buffer>(2_000).fill(pass), jpg.subarray(-2)])
}

describe('a file that holds much besides its picture takes no more than 400 MB of the process', () => {
  it.each([
    ['png with a text', () => pngWith('zTXt', 'Comment\0\0'), 100],
    ['png with a profile', () => pngWith('iCCP', 'icc\0\0'), 100],
    ['png with a note', () => pngWith('iTXt', 'XML:com.adobe.xmp\0\x01\0\0\0'), 100],
    ['jpg with 80 MB of what a camera wrote', () => jpgWith(0xffe1, 1_200), 100],
    ['jpg with 80 MB of notes', () => jpgWith(0xfffe, 1_200), 100],
    ['jpg of two thousand passes', jpgOfPasses, 'UNPROCESSABLE_CONTENT'],
  ])('%s', async (title, written, outcome) => {
    const path = join(home, title.replaceAll(' ', '-'))
    await writeFile(path, await written())
    expect(await madeAlone(path)).toEqual({ outcome, bytes: little })
  })
})

describe('a source that would take more memory than the limit is refused before it is unpacked', () => {
  it.each(bombs)('$title', async ({ held, written }) => {
    const bytes = await written(100).toBuffer()
    const inputMemory = Math.ceil(held * 100 * 100)
    const made = (limit: number) =>
      make(bytes, { width: 10, format: 'png' }, { settings: { limits: { inputMemory: limit } } })
    expect((await made(inputMemory)).width).toBe(10)
    const { code, message } = await rejectionOf(() => made(inputMemory - 1))
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
