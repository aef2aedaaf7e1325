import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }

/** Each entry of the package is one file of the same name in `src`, so an entry is added in `exports` alone. The command is one more. */
const names = Object.keys(manifest.exports).map((path) => (path === '.' ? 'index' : path.slice('./'.length)))
const entry = Object.fromEntries([...names, 'cli'].map((name) => [name, `src/${name}.ts`]))

export default defineConfig({
  entry,
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  // The command looks for the package's own manifest beside it.
  shims: true,
  dts: true,
  // What is published is not minified: its names and lines can be read as they are, in a third of the size.
  sourcemap: false,
  clean: true,
  // Without it each CJS entry gets its own copy of EngineError, and `isEngineError` fails across entries.
  splitting: true,
  external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)],
})
