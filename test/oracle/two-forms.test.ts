// Random queries find the same by each form of a condition: IN beside EXISTS, and LIKE before the exact test beside the exact test alone.
import { afterEach, describe, expect, it } from 'vitest'
import { matching } from '../../src/dialects/sqlite/text.ts'
import * as library from '../../src/index.ts'
import type { FieldDefinition } from '../../src/schema/definition.ts'
import { starting } from '../../src/sql/starts-at-index.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import type { World } from './dataset.ts'
import { isTooLarge } from './engine.ts'
import { type Asked, randomQuery } from './random-query.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { build, demolish } from './tables.ts'

const worlds = drawsOf('forms of one condition')
const queriesPerWorld = 60

afterEach(() => setForms(true))

function setForms(isNew: boolean): void {
  starting.isAtIndex = isNew
  matching.isLikeFirst = isNew
}

describe.each(databases)('on $name', ({ name, open }) => {
  it(`a query finds the same by both forms of its conditions (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db, close } = await open()
    const disagreements: unknown[] = []
    const forms = { IN: 0, LIKE: 0 }
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && disagreements.length < 3; seed++) {
      const random = new Random(seed)
      const world = randomWorld(random, indexed(randomSchema(random, { keys: 'any' })))
      await build(db, world, name)
      const [asked, before] = [askerOf(db, world), askerOf(db, world)]
      for (let number = 0; number < queriesPerWorld; number++) {
        const draw = { world, random, tally: new Map<string, number>() }
        const question = randomQuery(draw)
        setForms(true)
        const now = await asked(question)
        setForms(false)
        const then = await before(question)
        if (now.answer !== then.answer) disagreements.push({ seed, question, now, then })
        if (now.statements.some((text) => / in \(select (?!value)/.test(text))) forms.IN++
        if (now.statements.some((text) => text.includes(" escape '"))) forms.LIKE++
        expect(name === 'sqlite' && then.statements.some((text) => text.includes(" escape '"))).toBe(false)
      }
      await demolish(db, world)
    }
    await close()
    expect(disagreements).toEqual([])
    const least = name === 'sqlite' ? (worlds * queriesPerWorld) / 50 : 0
    expect(forms.IN).toBeGreaterThanOrEqual(least)
    expect(forms.LIKE).toBeGreaterThanOrEqual(least)
  })
})

/** The same schema, in which every value counts as indexed. */
const indexed = (definition: library.SchemaDefinition): library.SchemaDefinition =>
  Object.fromEntries(
    Object.entries(definition).map(([name, collection]) => [
      name,
      { ...collection, fields: Object.fromEntries(Object.entries(collection.fields).map(withIndex)) },
    ]),
  )

const relations = new Set(['m2o', 'o2m', 'm2m', 'm2a', 'any'])
const withIndex = ([name, field]: [string, FieldDefinition]): [string, FieldDefinition] =>
  relations.has(field.type) ? [name, field] : [name, { ...field, indexed: true } as FieldDefinition]

function askerOf(db: OpenDatabase['db'], world: World) {
  const statements: string[] = []
  const engine = library.createEngine({
    db,
    schema: library.defineSchema<library.SchemaDefinition>(world.definition) as library.Schema,
    limits: { expandedFields: 1_000_000, nestedRows: 1_000_000_000, ...world.limits },
    acquireTimeoutMs: 600_000,
    onQuery: ({ sql }) => statements.push(sql),
  })
  return async ({ collection, query }: Asked) => {
    statements.length = 0
    // The names of random worlds are unknown to the compiler.
    const answer = await library.listItems(engine, collection as never, query as never).then(
      (found) => JSON.stringify(found),
      (error: unknown) => {
        if (isTooLarge(error)) return 'too large'
        throw error
      },
    )
    return { answer, statements: [...statements] }
  }
}
