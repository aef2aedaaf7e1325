// The check of histories finds what it looks for.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createItem } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { contradictions, type RunHistory, readHistory } from './history.ts'
import { createTables, survivingFlows } from './surviving.ts'

let history: RunHistory
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quernel-history-'))
  const outside = join(folder, 'outside')
  writeFileSync(outside, '')
  const { db } = await openSqlite()
  await createTables(db, 'sqlite')
  const { engine, flows } = survivingFlows({ db, outside, leaseMs: 10_000 })
  await flows.install()
  for (const id of [1, 2]) await createItem(engine, 'orders', { id })
  await flows.start()
  const ended = async () => (await readHistory(db, [])).runs.filter(({ state }) => state === 'succeeded')
  while ((await ended()).length < 4) await new Promise((resolve) => setTimeout(resolve, 20))
  await flows.stop()
  history = await readHistory(db, readFileSync(outside, 'utf8').trim().split('\n'))
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true }))

it('finds nothing in one that is right', () => {
  expect(contradictions(history)).toEqual([])
})

it.each<[string, (history: RunHistory) => RunHistory, RegExp]>([
  [
    'a row that is there twice',
    (it) => ({ ...it, lines: [...it.lines, { id: 99, owner: 1, text: 'one' }] }),
    /its lines are .*last done,one\n/,
  ],
  ['a row that is gone', (it) => ({ ...it, lines: it.lines.slice(1) }), /the line of "one" is not there/],
  ['a step that is missing', (it) => ({ ...it, steps: it.steps.slice(1) }), /its steps are/],
  [
    'a step that is recorded twice',
    (it) => ({ ...it, steps: [...it.steps, ...it.steps.slice(0, 1)] }),
    /two steps have one number/,
  ],
  [
    'a step that names a row of another run',
    (it) => ({
      ...it,
      steps: it.steps.map((step) => (step.operation === 'last' ? { ...step, result: [1] } : step)),
    }),
    /names a line of|name one line/,
  ],
  ['what was never told', (it) => ({ ...it, outside: it.outside.slice(1) }), /nothing was told outside/],
  [
    'a run that nobody has started',
    (it) => ({ ...it, runs: it.runs.filter(({ flow }) => flow === 'child') }),
    /nobody has started it/,
  ],
])('finds %s', (_, doctored, says) => {
  expect(contradictions(doctored(history)).join('\n')).toMatch(says)
})
