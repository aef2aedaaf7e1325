// The page on drivers, printed from what the smoke expects of each.

import { checksOf, groups } from '../../test/drivers/smoke/run-smoke.ts'
import { type Difference, type SmokeDriver, smokeDrivers } from '../../test/drivers/smoke/smoke-driver.ts'
import { type Row, table } from './tables.ts'

/** The table of the drivers, and how each is opened. */
export const driversTable = (): string =>
  table(
    ['driver', 'database', 'checks', 'open it with'],
    smokeDrivers.map((driver) => [driver.title, databases[driver.database], countOf(driver), driver.opened]),
  )

const databases = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** What the checks are about, and how many there are. */
export const checksTable = (): string =>
  table(
    ['checks of', 'number'],
    groups.map(({ title, checks }): Row => [title, String(checks.length)]),
  )

/** What a driver does otherwise than better-sqlite3 or pg. */
export const differencesTable = (): string =>
  table(
    ['driver', 'what differs', 'error', 'why'],
    smokeDrivers.flatMap(({ title, differences }) =>
      differences.map(
        ({ of, code, because }): Row => [title, of.map(shown).join('; '), errorOf(code), because],
      ),
    ),
  )

const errorOf = (code: Difference['code']) => (code === undefined ? '' : `\`${code}\``)

const shown = (name: string) => name.replace(/^types of values: /, 'values of type ')

function countOf({ differences }: SmokeDriver): string {
  const all = groups.flatMap(({ title }) => checksOf(title)).length
  const different = differences
    .filter(({ isPossible }) => !isPossible)
    .flatMap(({ of }) => of.flatMap(checksOf))
  return different.length === 0 ? 'all' : `${all - different.length} of ${all}`
}
