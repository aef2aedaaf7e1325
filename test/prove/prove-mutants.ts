// `npm run prove:realtime-mutants`: breaks what keeps lists true, one thing after the other, and says which tests find it: those of `npm test`, and all
// where these do not. With a word it takes the mutants in whose name it is.
import { spawn } from 'node:child_process'
import { mutants } from './mutants.ts'

const [word = ''] = process.argv.slice(2)
const seeds = (process.env.QUERNEL_SEEDS ?? '1').split(' ')
const tests = (process.env.QUERNEL_TESTS ?? 'test/realtime').split(' ')

const lengths = ['quick', 'all'] as const

for (const { name } of mutants.filter((one) => one.name.includes(word)))
  for (const length of lengths) {
    const found = await Promise.all(seeds.map((seed) => findersOf(name, seed, length)))
    for (const [at, files] of found.entries())
      console.log(`${name} | ${length} | seed ${seeds[at]} | ${files.join(', ') || 'nobody'}`)
    if (found.every((files) => files.length > 0)) break
    if (length === 'all') process.exitCode = 1
  }

/** Runs tests, and returns the files that fail. */
async function findersOf(
  name: string,
  seed: string,
  length: (typeof lengths)[number],
): Promise<readonly string[]> {
  const run = spawn('npx', ['vitest', 'run', '--config', 'mutants.config.ts', ...tests], {
    env: { ...process.env, QUERNEL_MUTANT: name, QUERNEL_SEED: seed, QUERNEL_LENGTH: length, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [run.stdout, run.stderr])
    stream.on('data', (part) => {
      output += part
    })
  await new Promise((resolve) => run.on('close', resolve))
  return [
    ...new Set(
      [...output.matchAll(/FAIL +test\/realtime\/([\w/-]+)\.test\.ts >/g)].map(([, file = '']) => file),
    ),
  ]
}
