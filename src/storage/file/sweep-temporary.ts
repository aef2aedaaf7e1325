import { join } from 'node:path'
import { fileIn, lookAt } from './resolve-path.ts'
import { type FileSystem, unlessMissing } from './system.ts'
import { nursery } from './write-whole.ts'

const minute = 60 * 1000

/** The age of an abandoned file: no writer pauses that long between two bytes. */
const staleAfter = 24 * 60 * minute

/** The age where half-written files take much room: a process that crashes repeatedly leaves one each time. */
const staleSoonerAfter = 10 * minute
const muchRoom = 1024 ** 3

/** The interval between two sweeps. */
export const sweepEvery = 10 * minute

/** Removes half-written files of processes that died, the oldest first. */
export async function sweep(fs: FileSystem, home: string, now: number): Promise<void> {
  const halves: { readonly path: string; readonly size: number; readonly age: number }[] = []
  for (const name of (await unlessMissing(fs.readdir(join(home, nursery)))) ?? []) {
    const path = join(home, nursery, name)
    const stats = fileIn(await lookAt(fs, path))
    if (stats) halves.push({ path, size: Number(stats.size), age: now - Number(stats.mtimeMs) })
  }
  let room = halves.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size, age } of halves.sort((one, other) => other.age - one.age)) {
    if (age <= (room > muchRoom ? staleSoonerAfter : staleAfter)) return
    await unlessMissing(fs.unlink(path))
    room -= size
  }
}
