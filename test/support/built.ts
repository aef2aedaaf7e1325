// Programs that tests start, built once: a process that compiles the sources for itself takes seconds of the processor.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { afterAll, beforeAll } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds programs for the tests of a file, as the package is built: modules, with what they share in files of its own.
 *  Answers where one is, once the tests run; its name is that of its source without the folders.
 *  @example const programOf = builtPrograms({ cli: 'src/cli.ts' })
 *  // spawn(process.execPath, [programOf('cli')]) */
export function builtPrograms<Name extends string>(
  entry: Readonly<Record<Name, string>>,
): (name: Name) => string {
  let home = ''
  beforeAll(async () => {
    // Below the modules that they import, which a process looks for from where it is.
    const cache = join(root, 'node_modules/.cache')
    await mkdir(cache, { recursive: true })
    home = await mkdtemp(join(cache, 'quernel-built-'))
    // The command looks for the manifest of the package beside the folder that it is in.
    await copyFile(join(root, 'package.json'), join(home, 'package.json'))
    await build({
      entry: Object.fromEntries(
        Object.entries<string>(entry).map(([name, path]) => [name, join(root, path)]),
      ),
      format: 'esm',
      outDir: join(home, 'dist'),
      config: false,
      silent: true,
      splitting: true,
      skipNodeModulesBundle: true,
    })
  })
  afterAll(() => rm(home, { recursive: true, force: true }))
  return (name) => join(home, 'dist', `${name}.js`)
}
