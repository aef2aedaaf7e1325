// A schema that was read from a database, and not edited, differs from it in nothing. One that was edited differs in that alone.
import { describe, expect, it } from 'vitest'
import { defineSchema } from '../../../src/index.ts'
import { additionsFor } from '../../../src/introspect/additions.ts'
import { compare } from '../../../src/introspect/check-schema.ts'
import {
  checkSchema,
  type IntrospectedSchema,
  introspectSchema,
  readCatalogue,
} from '../../../src/introspect.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { chinook } from '../samples/chinook.ts'
import { northwind } from '../samples/northwind.ts'
import { build, run } from '../samples/sample.ts'
import { tenants } from '../samples/tenants.ts'
import { shapes } from '../shapes/shapes.ts'

/** Edits each collection that is a table, and finds nothing but that in what is printed. */
async function expectAddition(db: OpenDatabase['db'], schema: IntrospectedSchema) {
  const { tables } = await readCatalogue(db)
  const added = { type: 'text', nullable: true } as const
  const places: string[] = []
  const edited = Object.entries(schema.definition).map(([name, collection]) => {
    const table = collection.table ?? name
    if (tables.find((one) => one.name === table)?.kind !== 'table') return [name, collection]
    places.push(table)
    return [name, { ...collection, fields: { ...collection.fields, added } }]
  })
  const difference = await compare(db, defineSchema(Object.fromEntries(edited)), {})
  const lines = additionsFor(difference).trimEnd().split('\n')
  expect(lines.sort()).toEqual(
    places.map((table) => `alter table "${table}" add column "added" text;`).sort(),
  )
}

describe.each(databases)('on $name', ({ name, open }) => {
  it.each(Object.entries({ chinook, northwind, tenants }))('the sample %s', async (_, sample) => {
    const { db } = await open()
    await build(sample, name, db)
    const schema = await introspectSchema(db)
    expect(await checkSchema(db, schema)).toEqual([])
    await expectAddition(db, schema)
  })

  it.each(shapes.filter(({ on = name }) => on === name))('$title', async ({ statements }) => {
    const { db } = await open()
    await run(db, ...statements)
    const schema = await introspectSchema(db)
    expect(await checkSchema(db, schema)).toEqual([])
    await expectAddition(db, schema)
  })
})
