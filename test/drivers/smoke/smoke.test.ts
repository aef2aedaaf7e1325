// All checks over all drivers: each answers byte for byte what better-sqlite3 or pg does, but for what its row says.
import { afterAll, describe, expect, it } from 'vitest'
import { inZone } from '../../support/in-zone.ts'
import { runners, whyNotRun } from './run-driver.ts'
import { checksOf, type Outcome } from './run-smoke.ts'
import { type Difference, type SmokeDriver, smokeDrivers } from './smoke-driver.ts'

inZone('Asia/Kathmandu')

const told: string[] = []
afterAll(() => void process.stdout.write(`\n${told.join('\n')}\n\n`))

const models = { sqlite: 'better-sqlite3', postgres: 'pg' } as const
const known = new Map<string, Promise<Outcome>>()

function outcomeOf(title: string): Promise<Outcome> {
  const run = runners[title]
  if (!run) throw new Error(`Nobody knows how to run ${title}.`)
  const outcome = known.get(title) ?? run()
  known.set(title, outcome)
  return outcome
}

const all = smokeDrivers.map((driver) => ({ driver, title: driver.title, reason: whyNotRun(driver) }))
const here = all.filter(({ reason }) => reason === undefined)
const absent = all.filter(({ reason }) => reason !== undefined)

it.each(absent)('$title is not run here: $reason', ({ driver, title, reason }) => {
  told.push(`${title}: not run, ${reason}`)
  expect(whyNotRun(driver)).toBe(reason)
})

describe.each(here)('$title', ({ driver, title }) => {
  it('answers what its model does, byte for byte, but for what its row says', async () => {
    const outcome = await outcomeOf(title)
    const model = await outcomeOf(models[driver.database])
    expect(Object.keys(outcome)).toEqual(Object.keys(model))
    const different = Object.keys(model).filter((name) => outcome[name] !== model[name])
    const said = saidBy(driver)
    const surprising = different.filter((name) => !said.has(name))
    expect(surprising.map((name) => [name, outcome[name], model[name]])).toEqual([])
    const certain = [...said].filter(([, { isPossible }]) => !isPossible).map(([name]) => name)
    expect(different).toEqual(expect.arrayContaining(certain))
    const same = Object.keys(model).length - different.length
    told.push(`${title}: ${same} of ${Object.keys(model).length} checks as ${models[driver.database]}`)
  })

  it('says what it cannot do, and never by an unexpected error', async () => {
    const outcome = await outcomeOf(title)
    for (const [name, { code }] of saidBy(driver))
      if (code) expect(outcome[name], name).toContain(`"code":"${code}"`)
    const unexpected = Object.entries(outcome).filter(([, text]) => text.includes('INTERNAL_SERVER_ERROR'))
    expect(unexpected.map(([name]) => name)).toEqual(['errors: a table that is not there'])
  })
})

const saidBy = ({ differences }: SmokeDriver): ReadonlyMap<string, Difference> =>
  new Map(differences.flatMap((one) => one.of.flatMap(checksOf).map((name) => [name, one] as const)))
