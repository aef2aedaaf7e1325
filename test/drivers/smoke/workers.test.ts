// The entries of the package in a Worker, which has no random bytes and no timers while modules are loaded.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { answerOfWorker } from '../../support/workers.ts'
import { whyNotRun } from './run-driver.ts'
import { smokeDrivers } from './smoke-driver.ts'

const [worker] = smokeDrivers.filter(({ needs }) => needs === 'miniflare')
const reason = worker && whyNotRun(worker)

/** Is for test runners, and they run in Node. */
const ofNode = ['./testing']

it(reason === undefined ? 'every entry loads in a Worker' : `no Worker runs here: ${reason}`, async () => {
  if (reason !== undefined) return expect(worker && whyNotRun(worker)).toBe(reason)
  const exported: Record<string, unknown> = JSON.parse(
    await answerOfWorker(join(import.meta.dirname, 'programs/entries.mjs')),
  )
  const entries = Object.keys(manifest.exports).filter((path) => !ofNode.includes(path))
  expect(Object.keys(exported).sort()).toEqual(entries.map((path) => path.replace('./', '')).sort())
  for (const path of entries) {
    const entry = path === '.' ? 'index' : path.slice(2)
    // A path as a whole, since a pattern of one stands for one folder alone.
    const file = join(import.meta.dirname, '../../../src', `${entry}.ts`)
    const here: object = await import(file)
    expect(exported[path.replace('./', '')], path).toEqual(Object.keys(here).sort())
  }
})
