// `npm run prove:schemas`: takes the tables of well-known programs from the packages of Debian, and says how many of them an introspected
// schema can use. It needs apt and the network, and installs nothing.
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Home, load, postgresHome, sqliteHome } from './databases.ts'
import { judge, type Verdict } from './judge.ts'
import { textsOf, unpacked } from './packages.ts'
import { type Program, programs } from './programs.ts'
import { statementsIn } from './statements.ts'

/** Packages stay there, so that a second run needs no network. */
const home = join(tmpdir(), 'quernel-prove')
await mkdir(home, { recursive: true })

const [wanted] = process.argv.slice(2)
const chosen = programs.filter(({ name }) => wanted === undefined || name.toLowerCase().includes(wanted))
const homes = [sqliteHome(), await postgresHome()]
const all: Verdict[] = []
try {
  console.log(line('program', 'database', 'tables', 'usable', 'with key', 'usable', 'reported', 'missing'))
  for (const program of chosen) for (const database of homes) all.push(...(await proved(program, database)))
} finally {
  for (const database of homes) await database.close()
}
const { cells } = summed(all)
console.log(line('all', '', ...cells))
if (all.some(({ is }) => is === 'missing')) process.exitCode = 1

async function proved(program: Program, database: Home): Promise<readonly Verdict[]> {
  const patterns = program[database.name]
  if (!patterns) return []
  const folders = await Promise.all(program.packages.map((name) => unpacked(name, home)))
  const texts = await textsOf(
    folders.flatMap((folder) => folder ?? []),
    patterns,
  )
  if (texts.length === 0) {
    console.log(line(program.name, database.name, 'no such package here'))
    return []
  }
  const db = await database.open(program.functions)
  try {
    const failures = await load(db, texts.flatMap(statementsIn))
    const verdicts = await judge(db, database)
    console.log(line(program.name, database.name, ...summed(verdicts).cells))
    for (const failure of failures) console.log(`    not loaded: ${failure}`)
    for (const { table, why } of verdicts.filter(({ is }) => is === 'missing'))
      console.log(`    ${table}: ${why}`)
    return verdicts
  } finally {
    await db.destroy()
  }
}

function summed(verdicts: readonly Verdict[]) {
  const usable = verdicts.filter(({ is }) => is === 'usable')
  const keyed = verdicts.filter(({ hasKey }) => hasKey)
  const usableKeyed = usable.filter(({ hasKey }) => hasKey)
  const counted = (is: Verdict['is']) => verdicts.filter((one) => one.is === is).length
  const cells = [
    verdicts.length,
    usable.length,
    keyed.length,
    `${usableKeyed.length} (${keyed.length === 0 ? 100 : Math.round((usableKeyed.length / keyed.length) * 1000) / 10} %)`,
    counted('reported'),
    counted('missing'),
  ]
  return { cells }
}

function line(program: string, database: string, ...cells: readonly (string | number)[]): string {
  const shown = cells.map((cell) => String(cell).padStart(14))
  return `${program.padEnd(22)}${database.padEnd(10)}${shown.join('')}`
}
