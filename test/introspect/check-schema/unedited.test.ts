// A schema that was read from a database, and not edited, differs from it in nothing.
import { describe, expect, it } from 'vitest'
import { checkSchema, introspectSchema } from '../../../src/introspect.ts'
import { databases } from '../../support/databases.ts'
import { chinook } from '../samples/chinook.ts'
import { northwind } from '../samples/northwind.ts'
import { build, run } from '../samples/sample.ts'
import { tenants } from '../samples/tenants.ts'
import { shapes } from '../shapes/shapes.ts'

describe.each(databases)('on $name', ({ name, open }) => {
  it.each(Object.entries({ chinook, northwind, tenants }))('the sample %s', async (_, sample) => {
    const { db, close } = await open()
    await build(sample, name, db)
    expect(await checkSchema(db, await introspectSchema(db))).toEqual([])
    await close()
  })

  it.each(shapes.filter(({ on = name }) => on === name))('$title', async ({ statements }) => {
    const { db, close } = await open()
    await run(db, ...statements)
    expect(await checkSchema(db, await introspectSchema(db))).toEqual([])
    await close()
  })
})
