// What a browser loads of `quernel/filter`, bundled as an application bundles it.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

interface Bundle {
  readonly text: string
  /** In kilobytes, with gzip. */
  readonly size: number
  /** The sources of which something is in it. */
  readonly sources: readonly string[]
  /** What is imported when it runs. */
  readonly imports: readonly string[]
}

async function bundle(statement: string, external: readonly string[] = []): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: statement, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: external.length > 0 ? 'node' : 'browser',
    external: [...external],
    logLevel: 'silent',
  })
  const [output] = Object.values(metafile.outputs)
  const sources = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return {
    text: outputFiles[0]?.text ?? '',
    size: gzipSync(outputFiles[0]?.contents ?? '').length / 1000,
    sources: sources.map(([path]) => path),
    imports: output?.imports.map(({ path }) => path) ?? [],
  }
}

const matching = "export { defineSchema, parseQuery, matchesFilter } from './src/filter.ts'"
const compiling = "export { defineSchema, parseQuery, matchesFilter, compileFilter } from './src/filter.ts'"
const everything = "export * from './src/filter.ts'"

describe('a bundle of quernel/filter', () => {
  it('takes at most 40 kB to define, parse and match', async () => {
    const { size } = await bundle(matching)
    expect(size).toBeGreaterThan(20)
    expect(size).toBeLessThanOrEqual(40)
  })

  it('takes at most 75 kB with compileFilter and its dialects', async () => {
    const { size } = await bundle(compiling)
    expect(size).toBeLessThanOrEqual(75)
  })

  it('holds nothing of SQL and no dialect where nothing is compiled', async () => {
    const { sources } = await bundle(matching)
    expect(sources.filter((path) => /^src\/(sql|dialects\/(sqlite|postgres))/.test(path))).toEqual([])
    expect((await bundle(compiling)).sources).toContain('src/dialects/sqlite/phrases.ts')
  })

  it('holds nothing of Node and of no other package', async () => {
    const { text, sources, imports } = await bundle(everything)
    expect(imports).toEqual([])
    expect(sources.filter((path) => !path.startsWith('src/'))).toEqual([])
    expect(text.match(/\bnode:|\bBuffer\b|\bprocess[.?[]|\brequire\(|\bimport\(/g)).toBeNull()
  })

  it('is small for a part, too', async () => {
    const { size, sources } = await bundle("export { isEngineError } from './src/filter.ts'")
    expect(size).toBeLessThan(1)
    expect(sources).toEqual(['src/errors/errors.ts'])
  })
})

it('compileFilter of quernel brings no verb, no image and no other package', async () => {
  const { size, sources } = await bundle("export { compileFilter } from './src/index.ts'", [
    'kysely',
    'sharp',
  ])
  const layers = /^src\/(execution|prepared|writes|items|files|versions|http|images|variants|storage)\//
  expect(sources.filter((path) => layers.test(path) || !path.startsWith('src/'))).toEqual([])
  expect(size).toBeLessThanOrEqual(75)
})
