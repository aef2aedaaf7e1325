// What would be published: how much each entry loads, and how large the package is. Fails when something is in it that should not be,
// or is not that should, or when a bundle for browsers is too large.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const rows = Object.entries(exports).map(([path, { import: entry }]) => {
  const files = [...loadedBy(join(root, entry.default))]
  const sum = (bytesOf) => kilobytes(files.reduce((total, file) => total + bytesOf(readFileSync(file)), 0))
  const zipped = sum((text) => gzipSync(text).length)
  return [
    `quernel${path.slice(1)}`,
    `${files.length} files`,
    sum((text) => text.length),
    `${zipped} with gzip`,
  ]
})
for (const cells of rows)
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(22) : cell.padStart(20))).join(''))

/** What browsers load of the built entry, minified and with gzip, and how many kilobytes it may take. */
const bundles = [
  { names: 'defineSchema, parseQuery, matchesFilter', most: 40 },
  { names: 'defineSchema, parseQuery, matchesFilter, compileFilter', most: 75 },
  { names: 'connect, listItems, getItem, getSingleton', entry: 'client', most: 3.3 },
  { names: 'connect, listItems, liveList', entry: 'client', most: 4.8 },
]
for (const { names, entry = 'filter', most } of bundles) {
  const size = await bundled(names, entry)
  console.log(`${kilobytes(size)} of at most ${most} kB with gzip: ${names} of quernel/${entry}`)
  if (size > most * 1_000) throw new Error(`A bundle of ${names} takes more than ${most} kB.`)
}

for (const { import: entry } of Object.values(exports)) {
  const { warnings } = await build({
    entryPoints: [join(root, entry.default)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  })
  const [warning] = warnings
  if (warning) throw new Error(`Whoever bundles ${entry.default} reads: ${warning.text}`)
}

const [packed] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
)
const names = packed.files.map(({ path }) => path)
console.log(
  `${names.length} files are packed: ${kilobytes(packed.size)}, unpacked ${kilobytes(packed.unpackedSize)}`,
)

const expected = ['LICENSE', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'package.json']
// What the README links to travels with it.
const linked = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(
  ([, path]) => path,
)
const missing = [...expected, ...linked].filter((name) => !names.includes(name))
if (missing.length > 0) throw new Error(`Not packed: ${missing.join(', ')}`)
const strange = names.filter(
  (name) =>
    !expected.includes(name) &&
    !/^dist\/(client\/)?[\w-]+(\.d)?\.c?[jt]s$|^docs\/([\w-]+\/)*[\w-]+\.(md|svg)$|^templates\/board\/[\w\-./[\]]+$/.test(
      name,
    ),
)
if (strange.length > 0) throw new Error(`Packed for nobody: ${strange.join(', ')}`)

/** A file with all those of the package that are loaded before its first line runs. */
function loadedBy(file, known = new Set()) {
  if (known.has(file)) return known
  known.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\b[^'"]*?["'](\.[^"']+)["'];?$/gm,
  ))
    loadedBy(join(dirname(file), path), known)
  return known
}

async function bundled(names, entry) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${names} } from './dist/${entry}.js'`, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    // What is loaded when it is used is a file of its own.
    splitting: true,
    outdir: 'bundle',
    platform: 'browser',
    logLevel: 'error',
  })
  const [{ imports }] = Object.values(metafile.outputs)
  const loaded = imports.filter(({ kind }) => kind !== 'dynamic-import')
  if (loaded.length > 0) throw new Error(`quernel/${entry} imports ${loaded.map(({ path }) => path)}.`)
  const [{ text, contents }] = outputFiles
  const [ofNode] = /\bnode:|\bBuffer\b|\bprocess[.?[]/.exec(text) ?? []
  if (ofNode) throw new Error(`quernel/${entry} uses ${ofNode}.`)
  return gzipSync(contents).length
}

function kilobytes(bytes) {
  return `${(bytes / 1_000).toFixed(1)} kB`
}
