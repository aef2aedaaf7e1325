// What a browser loads of `quernel/client`, bundled as an application bundles it.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import * as client from '../../src/client.ts'

async function bundled(names: string, from = 'client') {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export ${names} from './src/${from}.ts'`,
      resolveDir: join(import.meta.dirname, '../..'),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    // What is loaded when it is used is a file of its own.
    splitting: true,
    outdir: 'bundle',
    logLevel: 'silent',
  })
  const [output, ...others] = Object.values(metafile.outputs)
  const sources = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return {
    text: outputFiles[0]?.text ?? '',
    size: gzipSync(outputFiles[0]?.contents ?? '').length,
    sources: sources.map(([path]) => path),
    imports: output?.imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [] : [path])) ?? [],
    later: others.map(({ entryPoint, imports }, index) => ({
      entryPoint,
      imports,
      size: gzipSync(outputFiles[index + 1]?.contents ?? '').length,
    })),
  }
}

const reads = '{ connect, listItems, getItem, getSingleton }'

it('takes at most 3.2 kB to read', async () => {
  const { size } = await bundled(reads)
  expect(size).toBeGreaterThan(2_000)
  expect(size).toBeLessThanOrEqual(3_200)
})

const verbs = Object.keys(client).filter((name) => !['liveList', 'watchItems'].includes(name))

it('takes at most 5 kB without lists that stay true, which take 1.5 kB more', async () => {
  const { size } = await bundled(`{ ${verbs.join(', ')} }`)
  const { size: all } = await bundled(`{ ${[...verbs, 'liveList', 'watchItems'].join(', ')} }`)
  expect(size).toBeGreaterThan(4_000)
  expect(size).toBeLessThanOrEqual(5_000)
  expect(all - size).toBeLessThanOrEqual(1_500)
})

it('has sockets apart, of 1.3 kB that are loaded when the first one is opened', async () => {
  const { later, text } = await bundled('{ liveList }')
  expect(later).toEqual([{ entryPoint: 'src/client/socket.ts', imports: [], size: expect.any(Number) }])
  expect(later[0]?.size).toBeLessThanOrEqual(1_300)
  expect(text).not.toContain('access_token')
})

it('has uploads apart, of 3.6 kB with all that they send by', async () => {
  const { size, sources } = await bundled('*', 'client/upload')
  expect(size).toBeLessThanOrEqual(3_600)
  expect(sources).not.toContain('src/client/reads.ts')
  expect((await bundled('*')).sources).not.toContain('src/client/upload.ts')
})

it.each(['client', 'client/upload'])(
  'holds in %s nothing of the engine, of Node or of another package',
  async (from) => {
    const { text, sources, imports } = await bundled('*', from)
    expect(imports).toEqual([])
    const foreign = sources.filter(
      (path) => !/^src\/(client\/|errors\/(errors|abort-signal)\.ts$)/.test(path),
    )
    expect(foreign).toEqual([])
    expect(
      text.match(/\bnode:|\bBuffer\b|\bprocess[.?[]|\brequire\(|\bimport\((?!"\.\/socket-\w+\.js"\))/g),
    ).toBeNull()
  },
)
