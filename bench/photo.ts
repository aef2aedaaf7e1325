// A photo of 12 megapixels, the same on every machine: soft shapes and a little noise, as a camera sees them.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { drawing } from './drawing.ts'
import { home } from './installed.ts'

const width = 4_000
const height = 3_000

/** The file of the photo; drawn when no run before has left it. */
export async function photoFile(): Promise<string> {
  const folder = join(home, 'generated')
  const file = join(folder, 'photo-1.jpg')
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const draft = `${file}-${process.pid}`
  await sharp(pixels(), { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toFile(draft)
  renameSync(draft, file)
  return file
}

function pixels(): Uint8Array {
  const { below } = drawing(7)
  const waves = [0, 1, 2].map(() => Array.from({ length: 6 }, () => wave(below)))
  const across = waves.map((channel) => channel.map(({ x, phase }) => sines(width, x, phase)))
  const down = waves.map((channel) => channel.map(({ y, phase }) => sines(height, y, phase)))
  const data = new Uint8Array(width * height * 3)
  for (let row = 0, at = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      for (const channel of [0, 1, 2]) {
        let light = 128 + below(17) - 8
        const [horizontal = [], vertical = []] = [across[channel], down[channel]]
        for (const [index, line] of horizontal.entries())
          light += 20 * (line[column] ?? 0) * (vertical[index]?.[row] ?? 0)
        data[at++] = Math.max(0, Math.min(255, light))
      }
    }
  }
  return data
}

const wave = (below: (bound: number) => number) => ({
  x: 1 + below(40),
  y: 1 + below(40),
  phase: below(628) / 100,
})

const sines = (length: number, waves: number, phase: number) =>
  Array.from({ length }, (_, at) => Math.sin((at / length) * waves * 2 * Math.PI + phase))
