// Small statements about the keys of rows, as databases that differ get them.
import { describe, expect, it } from 'vitest'
import { defineSchema } from '../../src/index.ts'
import { storedKey } from '../../src/plan/key.ts'
import { postgres } from '../../src/postgres.ts'
import { lockedKeysStatement } from '../../src/sql/key-statements.ts'
import { sqlite } from '../../src/sqlite.ts'

const { collections } = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
const [notes] = collections.values()
if (!notes) throw new Error('no collection')

describe('keys of rows that are about to be written', () => {
  it.each([
    [sqlite, 'change', /\)$/],
    [sqlite, 'removal', /\)$/],
    // Only removal waits for those who refer to the row.
    [postgres, 'change', / for no key update$/],
    [postgres, 'removal', / for update$/],
    [postgres, 'reference', / for key share$/],
  ] as const)(
    'are locked no more than their use needs, where a database has such locks (%#)',
    (dialect, use, end) => {
      const keys = [storedKey(notes, 1), storedKey(notes, 2)]
      const { sql } = lockedKeysStatement(notes, keys, use, dialect)
      expect(sql).toMatch(/^\/\* quernel \*\/ select "id" as "0" from "notes" where "id" (in|=) /)
      expect(sql).toMatch(end)
    },
  )
})
