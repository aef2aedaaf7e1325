// Files of records, one on each line.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads the records of a file under `test/`. */
export const jsonLines = <Line>(path: string): readonly Line[] =>
  readFileSync(join(import.meta.dirname, '..', path), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
