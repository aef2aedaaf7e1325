import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const home = fileURLToPath(new URL('.', import.meta.url))
export const modules = join(home, 'node_modules')

/** The version of an installed package: of the benchmarks, or of the library. */
export function versionOf(name: string): string {
  const places = [join(modules, name), join(home, '../node_modules', name)]
  const file = places.map((place) => join(place, 'package.json')).find((file) => existsSync(file))
  const manifest: { readonly version: string } = file
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { version: 'absent' }
  return manifest.version
}
