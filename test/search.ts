// Draws random tests anew until a time is over, and says what it has found: `npm run test:search -- 30m`.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const
const [, amount, unit = 'm'] = /^(\d+)([smh])?$/.exec(process.argv[2] ?? '30m') ?? []
if (amount === undefined) throw new Error('Say how long: 90s, 30m or 2h.')
const end = Date.now() + Number(amount) * units[unit as keyof typeof units] // the expression allows no other

/** Files of tests that draw, by the seed of the run. */
const drawing = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path))
  .filter((path) => /fuzzSeed|QUERNEL_SEED|random-filters/.test(readFileSync(path, 'utf8')))

const found: string[] = []
let runs = 0
// A round that has begun is run to its end: what it finds would be lost.
while (Date.now() < end) {
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`QUERNEL_SEED=${seed}`)
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'all.config.ts', ...drawing],
    { stdio: 'inherit', env: { ...process.env, QUERNEL_SEED: String(seed) } },
  )
  if (status !== 0) found.push(`QUERNEL_SEED=${seed}`)
  runs++
}
console.log(found.length > 0 ? `Failed: ${found.join(' ')}` : 'Nothing failed.')
console.log(`${runs - found.length} passed, ${found.length} failed`)
process.exitCode = found.length > 0 ? 1 : 0
