// Programs in Workers: bundled, and run by the runtime itself.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'

const load = createRequire(import.meta.url)

/** The oldest date of compatibility with which everything but `quernel/testing` loads. */
export const oldestDate = '2025-09-15'

interface Runtime {
  dispatchFetch(url: string): Promise<{ readonly status: number; text(): Promise<string> }>
  dispose(): Promise<void>
}

interface Miniflare {
  readonly Miniflare: new (options: object) => Runtime
}

/** Runs a Worker with an empty D1 database `DB`, and returns its answer. */
export async function answerOfWorker(entry: string): Promise<string> {
  const { Miniflare }: Miniflare = load('miniflare')
  const contents = await bundled(entry)
  const told: string[] = []
  const runtime = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents }],
    compatibilityDate: oldestDate,
    compatibilityFlags: ['nodejs_compat'],
    d1Databases: ['DB'],
    handleRuntimeStdio: (...streams: readonly NodeJS.ReadableStream[]) => {
      for (const stream of streams) stream.on('data', (text) => told.push(String(text)))
    },
  })
  try {
    const response = await runtime.dispatchFetch('http://localhost/')
    const text = await response.text()
    if (response.status !== 200) throw new Error(text)
    return text
  } catch (cause) {
    throw new Error(`The Worker failed. ${told.join('')}`, { cause })
  } finally {
    // A runtime that has not begun fails here once more, and would hide why.
    await Promise.allSettled([runtime.dispose()])
  }
}

async function bundled(entry: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'quernel-worker-'))
  try {
    await build({
      entry: { worker: entry },
      outDir,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      splitting: false,
      config: false,
      silent: true,
      noExternal: [/^(?!node:|sharp$)/],
      external: [/^node:/, 'sharp'],
      esbuildOptions: (options) => {
        options.conditions = ['workerd', 'worker', 'browser']
      },
    })
    return await readFile(join(outDir, 'worker.js'), 'utf8')
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}
