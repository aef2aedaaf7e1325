// The statements of each form of a write with a list of notes, and with those of a query, as `lists.txt` has them: as many for twice as many notes.
// `QUERNEL_PRINT=statements npx vitest run --config all.config.ts test/writes/forms/lists.test.ts` prints that table anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Form, formNames, formOf, openForm } from '../../../bench/forms/forms.ts'
import { isLast, listVerbs, openList } from '../../../bench/forms/lists.ts'
import { countedDatabases } from './counted-database.ts'
import { type Cell, differences, linesOf, read, unexplained } from './statement-table.ts'

const place = new URL('lists.txt', import.meta.url)
const isPrinting = process.env.QUERNEL_PRINT === 'statements'
const names = Object.keys(countedDatabases) as (keyof typeof countedDatabases)[]
/** Numbers of notes. The first call of each asks the catalogue, and is not counted. */
const sizes = [8, 16]

/** Statements of all cells, and those that depend on how many notes there are. */
async function measured(name: keyof typeof countedDatabases) {
  const cells: Cell[] = []
  const varying: string[] = []
  const { db, sent, close } = await countedDatabases[name](notes)
  let next = 100
  const keysOf = (count: number, isOnce: boolean) => {
    const from = isOnce ? next : 1
    if (isOnce) next += count
    return Array.from({ length: count }, (_, at) => from + at)
  }
  try {
    for (const form of formNames.filter((one) => formOf(one).verbs === undefined)) {
      const opened = openForm(formOf(form), db)
      if (formOf(form).isVersioned) await opened.engine.install()
      for (const verb of listVerbs) {
        const write = openList(verb, formOf(form) as Form, opened)
        await write(keysOf(8, isLast(verb)), 1)
        const does: string[] = []
        for (const [at, size] of sizes.entries()) {
          const keys = keysOf(size, isLast(verb))
          sent.length = 0
          await write(keys, 2 + at)
          does.push(sent.join(' '))
        }
        const [first = '', second] = does
        if (second !== first) varying.push(`${verb} of "${form}" on ${name}`)
        cells.push({ form, verb, place: `${name} id`, does: second === first ? first : `${first} …` })
      }
    }
  } finally {
    await close()
  }
  return { cells, varying }
}

const notes = 5_000

/** Forms whose notes are written one after the other, since triggers and hooks of one may look at what the others have written. */
const known = /^(?:update each|upsert) of "trigger on the table"|^upsert of "hook before/

describe('each form of a write of many notes', () => {
  it('takes the statements that the table tells, whatever their number', async () => {
    const all = await Promise.all(names.map(measured))
    const cells = all.flatMap((one) => one.cells)
    const table = read(readFileSync(place, 'utf8'))
    if (isPrinting)
      writeFileSync(place, linesOf(cells, table, '# Statements of each form of a write of many notes'))
    else expect(differences(cells, table, 'lists')).toEqual([])
    expect(unexplained(read(readFileSync(place, 'utf8')))).toEqual([])
    const varying = all.flatMap((one) => one.varying)
    expect(varying.filter((one) => !known.test(one))).toEqual([])
  })
})
