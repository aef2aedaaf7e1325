// Bundles each entry of the installed package as hosts do, minified and with Node's own modules outside, and starts it. The argument is the project
// that has the bundler: what is optional is not installed here.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { build } = createRequire(join(process.argv[2], 'package.json'))('esbuild')
const { default: entries } = await import('./node_modules/quernel/package.json', { with: { type: 'json' } })

for (const path of Object.keys(entries.exports)) {
  const name = `quernel${path.slice(1)}`
  const outfile = join(import.meta.dirname, 'bundles', `${path.slice(2) || 'index'}.mjs`)
  const { warnings } = await build({
    stdin: { contents: `export * from '${name}'`, resolveDir: import.meta.dirname },
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external: ['node:*'],
    logLevel: 'error',
  })
  const bundled = Object.keys(await import(pathToFileURL(outfile).href)).sort()
  const loaded = Object.keys(await import(name)).sort()
  if (bundled.join() !== loaded.join())
    throw new Error(`${name} exports ${loaded}, and its bundle ${bundled}.`)
  console.log(
    `${name}: ${bundled.length} exports of its bundle${warnings.length > 0 ? ` (${warnings.length} packages absent)` : ''}`,
  )
}
