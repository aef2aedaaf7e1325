import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The text of a file by its path from the root; empty for one that is not there yet. */
export const textOf = (name: string): string => {
  const path = join(root, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
