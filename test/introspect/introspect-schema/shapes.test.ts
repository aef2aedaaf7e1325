// Tables of shapes that programs have are read and written as they are.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { introspectSchema } from '../../../src/introspect.ts'
import { judge } from '../../prove/judge.ts'
import { databases } from '../../support/databases.ts'
import { run } from '../samples/sample.ts'
import { shapes } from '../shapes/shapes.ts'

describe.each(databases)('on $name', ({ name, open }) => {
  it.each(shapes.filter(({ on = name }) => on === name))(
    '$title',
    async ({ statements, usable, limited = [] }) => {
      const { db } = await open()
      await run(db, ...statements)
      const { report } = await introspectSchema(db)
      expect(
        report.filter(({ kind }) => kind === 'limited').map(({ code, table }) => `${code} ${table}`),
      ).toEqual(limited)
      const schemas = async () =>
        name === 'sqlite'
          ? ['main']
          : (await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows.map(
              (row) => row.schema,
            )
      const verdicts = await judge(db, { unbound: undefined, schemas })
      expect(verdicts.filter(({ is }) => is !== 'usable')).toEqual([])
      expect(verdicts.length).toBe(usable)
    },
  )
})
