import { createHandler, toNode } from 'quernel/http'
import { median } from '../median.ts'
import { openDoor, routes, type Write } from './doors.ts'
import { formOf, openForm, payloads } from './forms.ts'
import type { CellName } from './goals.ts'
import { type FormGround, firstGoing } from './grounds.ts'
import { openHand } from './hand-doors.ts'
import { requested } from './served.ts'

export interface MeasuredCell {
  readonly cell: CellName
  readonly callers: number
  /** What is sent, in words, with `+` between those of one round trip. */
  readonly statements: string
  /** Processor time of this process beside that by hand: the median of all runs. */
  readonly ratio: number
  /** Microseconds of processor time of a call. */
  readonly own: number
  readonly hand: number
}

interface Bounds {
  readonly runs: number
  readonly callers: number
}

/** How long a block of calls takes, in milliseconds; blocks take turns. */
const block = 60

export async function measureCell(
  ground: FormGround,
  cell: CellName,
  { runs, callers }: Bounds,
): Promise<MeasuredCell> {
  const own = await ownWrite(ground, cell, 'db')
  const hand = openHand(cell.database, cell, ground.runs)
  const table = formOf(cell.form).table ?? 'notes'
  const statements = await statementsOf(ground, cell, table)
  let next = firstGoing
  const keysFor = async (calls: number) => {
    const from = next
    next += calls
    if (cell.verb === 'delete') await ground.fill(table, from, calls)
    return (call: number) => (cell.verb === 'delete' ? from + 1 + call : 2 + (call % 900))
  }
  const cost = async (write: Write, calls: number) => {
    const keyOf = await keysFor(calls)
    const before = process.cpuUsage()
    await called(write, keyOf, calls, callers)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / calls
  }
  const ratios: number[] = []
  const times: { readonly own: number[]; readonly hand: number[] } = { own: [], hand: [] }
  // What the compiler does at the beginning is no part of a call.
  let pace = Math.max(await cost(own, 20), await cost(hand, 20))
  for (let turn = 0; turn < 4; turn++) {
    const calls = Math.min(500, Math.ceil((block * 1_000) / pace))
    pace = Math.max(await cost(own, calls), await cost(hand, calls))
  }
  const calls = Math.max(10, Math.round((block * 1_000) / pace / 2))
  for (let run = 0; run < runs; run++) {
    const sums = { own: 0, hand: 0 }
    for (let turn = 0; turn < 6; turn++) {
      const order = turn % 2 === 0 ? (['own', 'hand'] as const) : (['hand', 'own'] as const)
      for (const who of order) sums[who] += await cost(who === 'own' ? own : hand, calls)
      await ground.settle(table)
    }
    ratios.push(sums.own / sums.hand)
    times.own.push(sums.own / 6)
    times.hand.push(sums.hand / 6)
  }
  return {
    cell,
    callers,
    statements,
    ratio: median(ratios),
    own: median(times.own),
    hand: median(times.hand),
  }
}

async function called(write: Write, keyOf: (call: number) => number, calls: number, callers: number) {
  let call = 0
  const caller = async () => {
    while (call < calls) await write(keyOf(call++))
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** What a call sends, once the first has asked the catalogue. */
async function statementsOf(ground: FormGround, cell: CellName, table: string): Promise<string> {
  const write = await ownWrite(ground, cell, 'counted')
  await ground.fill(table, firstGoing - 10, 2)
  const keyOf = (call: number) => (cell.verb === 'delete' ? firstGoing - 9 + call : 2)
  await write(keyOf(0))
  ground.sent.length = 0
  await write(keyOf(1))
  const text = ground.sent.join(' ')
  await ground.settle(table)
  return text
}

/** The write of an engine. Over HTTP it is asked like the handler by hand. */
async function ownWrite(
  ground: FormGround,
  { form: name, verb, door }: CellName,
  by: 'db' | 'counted',
): Promise<Write> {
  const form = formOf(name)
  const opened = openForm(form, ground[by])
  if (form.isVersioned) await opened.engine.install()
  if (door !== 'http') return openDoor[door](verb, form, opened)
  const listener = toNode(createHandler(opened.engine, { authenticate: () => opened.access }))
  return (key) => {
    const [method, path] = routes[verb](key)
    const data = payloads[verb](form, key)
    return requested(listener, method, path, data && JSON.stringify(data))
  }
}
