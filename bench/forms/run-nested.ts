// A note with twenty comments in it beside a transaction by hand that writes the same rows: processor time of a call, of which the median of some runs
// counts, and the statements of each.
//
//   npx tsx --tsconfig bench/tsconfig.run.json bench/forms/run-nested.ts --runs=5 --write
import '../production.ts'
import { parseArgs } from 'node:util'
import { createItem, type Engine, updateItem } from 'quernel'
import { median } from '../median.ts'
import { type DatabaseName, databaseNames } from '../options.ts'
import { aligned } from '../tables.ts'
import { callerOf, type Form, openForm } from './forms.ts'
import { type FormGround, grounds } from './grounds.ts'
import type { RunText } from './hand-lists.ts'
import { writeNestedPart } from './page-part.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    calls: { type: 'string', default: '100' },
    forms: { type: 'string', default: '' },
    verbs: { type: 'string', default: '' },
    databases: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const calls = Number(values.calls)
const runs = Number(values.runs)

const fields: Form['fields'] = { comments: { type: 'o2m', from: 'comments.note', deselect: 'delete' } }
const own = { filter: { author: '$CURRENT_USER' } } as const
const ofNote = { note: { author: '$CURRENT_USER' } } as const
const all = { read: true, create: true, update: true, delete: true } as const
const notes = { read: own, create: own, update: own } as const
const forms: Readonly<Record<string, Form>> = {
  none: { fields },
  'filter on an own column': { fields, rules: { notes, comments: all } },
  'validation through the note': {
    fields,
    rules: { notes, comments: { ...all, create: { validation: ofNote }, update: { validation: ofNote } } },
  },
}

const count = 20
const half = count / 2
/** Comments that each update links to another note. */
const linked = Array.from({ length: half }, (_, at) => 1_001 + at)
const noteOf = (turn: number) => 2 + (turn % 2)
const news = (size: number) => Array.from({ length: size }, (_, at) => ({ body: `Body ${at}` }))
const shaping = { fields: ['id'] } as never

const verbs: Readonly<Record<string, (engine: Engine, turn: number) => Promise<unknown>>> = {
  create: (engine) =>
    createItem(
      engine,
      'notes',
      { title: 'New', views: 1, author: 1, comments: news(count) } as never,
      shaping,
    ),
  update: (engine, turn) =>
    updateItem(
      engine,
      'notes',
      noteOf(turn) as never,
      { title: `Title ${turn}`, comments: [...linked, ...news(half)] } as never,
      shaping,
    ),
}

const bodies = (database: DatabaseName, note: string) =>
  database === 'sqlite'
    ? `insert into comments (note, body) select ${note}, value ->> 'body' from json_each(?)`
    : `insert into comments (note, body) select ${note}, body from json_to_recordset($1::json) as v (body text)`

const hands: Readonly<
  Record<string, (run: RunText, database: DatabaseName, turn: number) => Promise<unknown>>
> = {
  create: async (run, database) => {
    const key = await run(
      "insert into notes (title, state, views, author) values ('New', 'open', 1, 1) returning id",
      [],
    )
    await run(bodies(database, String(key)), [JSON.stringify(news(count))])
  },
  update: async (run, database, turn) => {
    const note = noteOf(turn)
    await run(`update notes set title = 'Title' where id = ${note} and author = 1 returning id`, [])
    await run(`delete from comments where note = ${note} and id not in (${linked.join()})`, [])
    await run(`update comments set note = ${note} where id in (${linked.join()})`, [])
    await run(bodies(database, String(note)), [JSON.stringify(news(half))])
  },
}

async function measure(ground: FormGround, form: Form, verb: string): Promise<number> {
  const write = verbs[verb]
  const byHand = hands[verb]
  if (!write || !byHand) throw new Error(`There is no verb "${verb}".`)
  const opened = openForm(form, ground.db)
  const counted = openForm(form, ground.counted)
  let turn = 0
  const cost = async (work: () => Promise<unknown>) => {
    const before = process.cpuUsage()
    for (let call = 0; call < calls; call++) {
      turn++
      await work()
    }
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const ours = () => write(callerOf(form, opened), turn)
  const hand = () => ground.together((run) => byHand(run, ground.database, turn))
  const settle = async () => {
    await ground.text('delete from comments where id > 2000', [])
    await ground.settle('notes')
  }
  for (let time = 0; time < 3; time++) {
    turn++
    ground.sent.length = 0
    await write(callerOf(form, counted), turn)
  }
  const sent = ground.sent.join(' ')
  const ratios: number[] = []
  const spent: number[] = []
  // The compiler takes some thousand calls to know ours, and few for one statement by hand.
  for (let run = -40; run < runs; run++) {
    const [first, second] = [await cost(ours), await cost(hand)]
    await settle()
    if (run >= 0) ratios.push(first / second)
    if (run >= 0) spent.push(first / calls)
  }
  console.log(`× ${median(ratios).toFixed(1)} | ${median(spent).toFixed(0)} µs | ${sent}`)
  return median(ratios)
}

const table = [['', ...databaseNames.flatMap((one) => Object.keys(verbs).map((verb) => `${verb}, ${one}`))]]
const rows = new Map(Object.keys(forms).map((name) => [name, [name]]))
for (const database of databaseNames.filter((name) => name.includes(values.databases))) {
  const ground = await grounds[database](10)
  try {
    await ground.text(
      database === 'sqlite'
        ? 'delete from comments'
        : 'alter table comments alter column id restart with 2001',
      [],
    )
    await ground.text(
      `insert into comments (id, note, body) values ${[...linked, 2_000].map((id) => `(${id}, 1, 'One')`).join()}`,
      [],
    )
    for (const [name, form] of Object.entries(forms))
      for (const verb of Object.keys(verbs))
        if (name.includes(values.forms) && verb.includes(values.verbs)) {
          console.log(`${database} | ${verb} | ${name}`)
          rows.get(name)?.push((await measure(ground, form, verb)).toFixed(1))
        }
  } finally {
    await ground.close()
  }
}

const whole = [...table, ...rows.values()]
console.log(aligned(whole))
if (values.write) writeNestedPart(whole)
