import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { buildPages } from './build-pages.ts'
import manifest from './package.json' with { type: 'json' }

buildPages()

/** Each entry of the package is one file of the same path in `src`, so an entry is added in `exports` alone. The command is one more. */
const names = Object.keys(manifest.exports).map((path) => (path === '.' ? 'index' : path.slice('./'.length)))
const entry = Object.fromEntries([...names, 'cli'].map((name) => [name, `src/${name}.ts`]))

const shared: Options = {
  entry,
  target: 'node20',
  platform: 'node',
  // The command looks for the package's own manifest beside it.
  shims: true,
  dts: true,
  // Without it each CJS entry gets its own copy of EngineError, and `isEngineError` fails across entries.
  splitting: true,
  // Tools that bundle for other platforms know Node's modules by it.
  removeNodeProtocol: false,
  external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)],
}

/** Takes out what imports a file for its effects alone: there are none, and bundlers warn of each. */
async function dropBareImports(): Promise<void> {
  for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue
    const path = join('dist', name)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replaceAll(/^import ['"]\.\.?\/chunk-\w+\.js['"];\n/gm, ''))
  }
}

// Without source maps, which would be half of the package: what is not minified can be read without.
export default defineConfig([
  { ...shared, format: 'esm', clean: true, onSuccess: dropBareImports },
  { ...shared, format: 'cjs' },
])
