// Forms of writes of many notes beside one statement by hand that keeps the same promise: processor time of a note, of which the median of some runs
// counts.
//
//   npx tsx --tsconfig bench/tsconfig.run.json bench/forms/run-lists.ts --rows=100,1000 --runs=5 --write
import '../production.ts'
import { parseArgs } from 'node:util'
import { median } from '../median.ts'
import { databaseNames } from '../options.ts'
import { aligned } from '../tables.ts'
import { formNames, formOf, openForm } from './forms.ts'
import { type FormGround, firstGoing, grounds } from './grounds.ts'
import { handList } from './hand-lists.ts'
import { isLast, type ListVerb, listVerbs, openList } from './lists.ts'
import { writeListsPart } from './page-part.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100,1000' },
    runs: { type: 'string', default: '5' },
    forms: { type: 'string', default: '' },
    verbs: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const sizes = values.rows.split(',').map(Number)
const runs = Number(values.runs)
const verbs = listVerbs.filter((verb) => verb.includes(values.verbs))
/** Runs that do not count. */
const warming = 6
/** What a query selects, whatever the lists have. */
const chosen = 5_000
/** Forms whose hand is one statement. */
const names = formNames.filter(
  (name) =>
    name.includes(values.forms) &&
    formOf(name).verbs === undefined &&
    !['hook before', 'versioned collection', 'trigger on the table', 'signal and timeoutMs'].includes(name),
)

interface Measured {
  readonly form: string
  readonly verb: ListVerb
  readonly ratio: number
}

async function measure(ground: FormGround, form: string, verb: ListVerb, size: number): Promise<number> {
  const own = openList(verb, formOf(form), openForm(formOf(form), ground.db))
  const hand = handList(ground.database, form, verb, ground.text)
  let next = firstGoing
  let turn = 0
  const cost = async (write: (keys: readonly number[], turn: number) => unknown) => {
    let spent = 0
    const rounds = Math.max(1, Math.round(1_000 / size))
    for (let round = 0; round < rounds; round++) {
      const from = verb === 'create' ? 0 : isLast(verb) ? next : 1
      if (isLast(verb)) {
        await ground.fill('notes', from, size)
        next += size
      }
      const keys = Array.from({ length: size }, (_, at) => from + 1 + at)
      const before = process.cpuUsage()
      await write(keys, turn++)
      const { user, system } = process.cpuUsage(before)
      spent += user + system
    }
    return spent / (rounds * size)
  }
  const ratios: number[] = []
  // What the compiler does at the beginning is no part of a call.
  for (let run = -warming; run < runs; run++) {
    const sums = { own: 0, hand: 0 }
    for (let pair = 0; pair < 3; pair++) {
      sums.own += await cost(own)
      sums.hand += await cost(hand)
    }
    await ground.settle('notes')
    if (run >= 0) ratios.push(sums.own / sums.hand)
  }
  return median(ratios)
}

const outcomes: Measured[] = []
for (const database of databaseNames) {
  const ground = await grounds[database](chosen + 10)
  try {
    for (const form of names)
      for (const verb of verbs)
        for (const size of verb.endsWith('by query') ? [chosen] : sizes) {
          const ratio = await measure(ground, form, verb, size)
          outcomes.push({ form, verb, ratio })
          console.log(`${database}|${form}|${verb}|${size}: × ${ratio.toFixed(2)}`)
        }
  } finally {
    await ground.close()
  }
}

const table = [
  ['worst (median)', ...verbs],
  ...names.map((form) => [
    form,
    ...verbs.map((verb) => {
      const ratios = outcomes
        .filter((one) => one.form === form && one.verb === verb)
        .map(({ ratio }) => ratio)
      return `${Math.max(...ratios).toFixed(1)} (${median(ratios).toFixed(1)})`
    }),
  ]),
]
console.log(aligned(table))
if (values.write) writeListsPart(table)
