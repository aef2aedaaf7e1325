// Draws random tests anew until a time is over, and says what it has found: `npm run test:search -- 30m`.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const
const [, amount, unit = 'm'] = /^(\d+)([smh])?$/.exec(process.argv[2] ?? '30m') ?? []
if (amount === undefined) throw new Error('Say how long: 90s, 30m or 2h.')
const end = Date.now() + Number(amount) * units[unit as keyof typeof units] // the expression allows no other

/** Tests that draw say their seed in their titles. */
const drawing = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path))
  .filter((path) => readFileSync(path, 'utf8').includes('QUERNEL_SEED'))

const found: string[] = []
let runs = 0
while (Date.now() < end) {
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`QUERNEL_SEED=${seed}`)
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'all.config.ts', '-t', 'QUERNEL_SEED', ...drawing],
    {
      stdio: 'inherit',
      env: { ...process.env, QUERNEL_SEED: String(seed) },
      timeout: end - Date.now() + units.m,
    },
  )
  // A run that its time ended has found nothing by that.
  if (status !== 0 && status !== null) found.push(`QUERNEL_SEED=${seed}`)
  runs++
}
console.log(found.length > 0 ? `Failed: ${found.join(' ')}` : 'Nothing failed.')
console.log(`${runs - found.length} passed, ${found.length} failed`)
process.exitCode = found.length > 0 ? 1 : 0
