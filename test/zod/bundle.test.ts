// What a browser loads of `quernel/zod`.
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

it('runs in a browser, with zod and nothing else of others', async () => {
  const { metafile } = await build({
    stdin: { contents: "export { zodSchema } from './src/zod.ts'", resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    external: ['zod'],
    logLevel: 'silent',
  })
  const [output] = Object.values(metafile.outputs)
  expect([...new Set(output?.imports.map(({ path }) => path))]).toEqual(['zod'])
  const used = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  const sources = used.map(([path]) => path).filter((path) => path.startsWith('src/'))
  expect(
    sources.filter((path) => /^src\/(sql|execution|engine|writes|dialects\/(sqlite|postgres))\b/.test(path)),
  ).toEqual([])
  expect(sources).toContain('src/plan/write/check-payload.ts')
})
