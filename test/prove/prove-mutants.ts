// `npm run prove:realtime-mutants`: breaks what keeps lists true, one thing after the other, and says which tests of a normal run find it. With a word
// it takes the mutants in whose name it is.
import { spawn } from 'node:child_process'
import { mutants } from './mutants.ts'

const [word = ''] = process.argv.slice(2)
const seeds = (process.env.QUERNEL_SEEDS ?? '1 2').split(' ')
const tests = (process.env.QUERNEL_TESTS ?? 'test/realtime').split(' ')

for (const { name } of mutants.filter((one) => one.name.includes(word))) {
  const lines: string[] = []
  for (const seed of seeds)
    lines.push(`seed ${seed}: ${(await findersOf(name, seed)).join(', ') || 'nobody'}`)
  if (lines.some((line) => line.endsWith('nobody'))) process.exitCode = 1
  console.log(`${name}\n  ${lines.join('\n  ')}`)
}

/** Runs tests as `npm test` does. Returns the files that fail. */
async function findersOf(name: string, seed: string): Promise<readonly string[]> {
  const run = spawn('npx', ['vitest', 'run', '--config', 'mutants.config.ts', ...tests], {
    env: { ...process.env, QUERNEL_MUTANT: name, QUERNEL_SEED: seed, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  for (const stream of [run.stdout, run.stderr])
    stream.on('data', (part) => {
      told += part
    })
  await new Promise((resolve) => run.on('close', resolve))
  return [
    ...new Set(
      [...told.matchAll(/FAIL +test\/realtime\/([\w-]+)\.test\.ts >/g)].map(([, file = '']) => file),
    ),
  ]
}
