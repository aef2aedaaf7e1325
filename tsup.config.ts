import { defineConfig, type Options } from 'tsup'
import { buildPages } from './build-pages.ts'
import manifest from './package.json' with { type: 'json' }

buildPages()

/** Each entry of the package is one file of the same name in `src`, so an entry is added in `exports` alone. The command is one more. */
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

// Without source maps, which would be half of the package: what is not minified can be read without.
export default defineConfig([
  { ...shared, format: 'esm', clean: true },
  { ...shared, format: 'cjs' },
])
