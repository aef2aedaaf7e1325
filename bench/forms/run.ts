// Forms of writes beside the statement by hand that keeps the same promise, by the same door: statements, round trips, and the ratio of processor
// time, of which the median of some runs counts.
//
//   npx tsx --tsconfig bench/tsconfig.run.json bench/forms/run.ts --cells=named --check --write
//   npx tsx --tsconfig bench/tsconfig.run.json bench/forms/run.ts '--cells=sqlite|two rules|update|id' --runs=3
import '../production.ts'
import { parseArgs } from 'node:util'
import { type DatabaseName, databaseNames } from '../options.ts'
import { aligned } from '../tables.ts'
import { countOf } from './counting.ts'
import { doors } from './doors.ts'
import { formNames, formOf, verbsOf } from './forms.ts'
import { type CellName, goalOf, most, namedCells } from './goals.ts'
import { grounds } from './grounds.ts'
import { type MeasuredCell, measureCell } from './measure-cell.ts'
import { writeFormsPart } from './page-part.ts'
import { summaryOf } from './summary.ts'

const { values } = parseArgs({
  options: {
    cells: { type: 'string', default: 'named' },
    runs: { type: 'string', default: '5' },
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)

const all: readonly CellName[] = databaseNames.flatMap((database) =>
  formNames.flatMap((form) =>
    verbsOf(formOf(form)).flatMap((verb) => doors.map((door) => ({ database, form, verb, door }))),
  ),
)
const nameOf = ({ database, form, verb, door }: CellName) => [database, form, verb, door].join('|')
const named: ReadonlySet<string> = new Set(namedCells.map(nameOf))

/** Cells of which each part of a name has one of the words that are asked for, in its place. */
function chosen(words: string): readonly CellName[] {
  if (words === 'named') return namedCells
  if (words === 'all') return all
  const wanted = words.split('|').map((part) => part.split(','))
  return all.filter(({ database, form, verb, door }) =>
    [database, form, verb, door].every((part, at) =>
      (wanted[at] ?? ['']).some((word) => (at === 1 ? part.includes(word) : word === '' || part === word)),
    ),
  )
}

async function measured(
  database: DatabaseName,
  cells: readonly CellName[],
): Promise<readonly MeasuredCell[]> {
  if (cells.length === 0) return []
  const ground = await grounds[database]()
  try {
    const outcomes: MeasuredCell[] = []
    for (const cell of cells) {
      const isNamed = named.has(nameOf(cell))
      const crowds = isNamed && database === 'postgres' ? [1, 16] : [1]
      for (const callers of crowds) {
        const outcome = await measureCell(ground, cell, { runs, callers })
        outcomes.push(outcome)
        console.log(lineOf(outcome, isNamed))
      }
    }
    return outcomes
  } finally {
    await ground.close()
  }
}

function lineOf({ cell, callers, statements, ratio, own, hand }: MeasuredCell, isNamed: boolean): string {
  const times = `${own.toFixed(1)} µs of ${hand.toFixed(1)}`
  const { statements: count, marks, trips } = countOf(statements)
  const goal = isNamed ? `goal ${goalOf(cell)}` : `at most ${most}`
  return `${nameOf(cell)}${callers > 1 ? `, ${callers} callers` : ''}: × ${ratio.toFixed(2)} (${times}; ${goal}), ${count} + ${marks} in ${trips}: ${statements}`
}

const outcomes: MeasuredCell[] = []
for (const database of databaseNames)
  outcomes.push(
    ...(await measured(
      database,
      chosen(values.cells).filter((cell) => cell.database === database),
    )),
  )
console.log(aligned(summaryOf(outcomes)))
if (values.write) writeFormsPart(outcomes)

const missed = outcomes.filter(({ cell, ratio }) => ratio > (named.has(nameOf(cell)) ? goalOf(cell) : most))
for (const { cell, ratio } of missed) console.error(`Missed: ${nameOf(cell)}: × ${ratio.toFixed(2)}.`)
if (missed.length > 0 && values.check) process.exitCode = 1
