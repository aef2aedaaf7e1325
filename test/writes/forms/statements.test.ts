// The statements and round trips of each form of a write, by each verb and door on both databases, as `statements.txt` has them.
// `QUERNEL_PRINT=statements npx vitest run --config all.config.ts test/writes/forms/statements.test.ts` prints that table anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { doors, openDoor } from '../../../bench/forms/doors.ts'
import { formNames, formOf, openForm, verbsOf } from '../../../bench/forms/forms.ts'
import { countedDatabases } from './counted-database.ts'
import { type Cell, differences, linesOf, read, unexplained } from './statement-table.ts'

const place = new URL('statements.txt', import.meta.url)
const isPrinting = process.env.QUERNEL_PRINT === 'statements'
const names = Object.keys(countedDatabases) as (keyof typeof countedDatabases)[]

/** Statements of all cells. The first call of each asks the catalogue, and is not counted. */
async function measured(name: keyof typeof countedDatabases): Promise<readonly Cell[]> {
  const cells: Cell[] = []
  const { db, sent, close } = await countedDatabases[name](notes)
  // The first notes have comments, and are not deleted.
  let key = 10
  try {
    for (const form of formNames) {
      const opened = openForm(formOf(form), db)
      if (formOf(form).isVersioned) await opened.engine.install()
      for (const verb of verbsOf(formOf(form)))
        for (const door of doors) {
          const write = openDoor[door](verb, formOf(form), opened)
          const nextKey = () => (verb === 'delete' ? key++ : 1)
          await write(nextKey())
          sent.length = 0
          await write(nextKey())
          cells.push({ form, verb, place: `${name} ${door}`, does: sent.join(' ') })
        }
    }
  } finally {
    await close()
  }
  return cells
}

const notes = 500

describe('each form of a write', () => {
  it('takes the statements that the table tells, with a reason where it is more than one', async () => {
    const cells: Cell[] = []
    for (const name of names) cells.push(...(await measured(name)))
    const known = read(readFileSync(place, 'utf8'))
    if (isPrinting) writeFileSync(place, linesOf(cells, known, '# Statements of each form of a write'))
    else expect(differences(cells, known, 'statements')).toEqual([])
    expect(unexplained(read(readFileSync(place, 'utf8')))).toEqual([])
  })
})
