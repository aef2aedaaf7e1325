import { join } from 'node:path'
import { fileIn, lookAt } from './look.ts'
import { type FileSystem, unlessMissing } from './system.ts'
import { nursery } from './write.ts'

/** So long nobody fills a file without writing a single byte. */
const staleAfter = 24 * 60 * 60 * 1000

/** Removes what processes that died have left behind half-filled. */
export async function sweep(fs: FileSystem, home: string, now: number): Promise<void> {
  const names = await unlessMissing(fs.readdir(join(home, nursery)))
  for (const name of names ?? []) {
    const path = join(home, nursery, name)
    const stats = fileIn(await lookAt(fs, path))
    if (stats && Number(stats.mtimeMs) < now - staleAfter) await unlessMissing(fs.unlink(path))
  }
}
