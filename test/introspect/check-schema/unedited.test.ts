// A schema that was read from a database, and not edited, differs from it in nothing. One that was edited differs in that alone.
import { describe, expect, it } from 'vitest'
import { defineSchema } from '../../../src/index.ts'
import { additionsFor } from '../../../src/introspect/additions.ts'
import { compare } from '../../../src/introspect/check-schema.ts'
import { checkSchema, introspectSchema } from '../../../src/introspect.ts'
import { databases } from '../../support/databases.ts'
import { chinook } from '../samples/chinook.ts'
import { northwind } from '../samples/northwind.ts'
import { build, run } from '../samples/sample.ts'
import { tenants } from '../samples/tenants.ts'
import { shapes } from '../shapes/shapes.ts'

const unreachable = () => {
  throw new Error('a sample without tables')
}

describe.each(databases)('on $name', ({ name, open }) => {
  it.each(Object.entries({ chinook, northwind, tenants }))('the sample %s', async (_, sample) => {
    const { db, close } = await open()
    await build(sample, name, db)
    const schema = await introspectSchema(db)
    expect(await checkSchema(db, schema)).toEqual([])
    const [[collection, { fields }] = unreachable()] = Object.entries(schema.definition)
    const added = { type: 'text', nullable: true } as const
    const edited = {
      ...schema.definition,
      [collection]: { ...schema.definition[collection], fields: { ...fields, added } },
    }
    const difference = await compare(db, defineSchema(edited as never), {})
    expect(additionsFor(difference)).toBe(`alter table "${collection}" add column "added" text;\n`)
    await close()
  })

  it.each(shapes.filter(({ on = name }) => on === name))('$title', async ({ statements }) => {
    const { db, close } = await open()
    await run(db, ...statements)
    expect(await checkSchema(db, await introspectSchema(db))).toEqual([])
    await close()
  })
})
