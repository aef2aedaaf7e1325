// Documents of schemas that are made to break them: by their names, and by their size.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/http.ts'
import { createEngine, defineSchema, type Schema } from '../../../src/index.ts'
import type { FieldDefinition } from '../../../src/schema/definition.ts'
import { mistakes, operationsOf } from '../openapi-checking.ts'
import { openWorld, type World } from '../openapi-collections.ts'

const key = { type: 'integer', key: true } as const

let world: World
beforeAll(async () => {
  world = await openWorld()
})

function describing(definition: Parameters<typeof defineSchema>[0]) {
  const schema: Schema = defineSchema(definition)
  return describeApi(createEngine({ db: world.db, schema }))
}

describe('hostile names', () => {
  const names = [
    'caf\u00e9',
    'a b',
    `it's`,
    'say "x"',
    'a/b',
    '{key}',
    '#frag',
    '100%',
    '\u{1f4a9}',
    '~0',
    'toString',
    'Error',
    'error',
    'a~1b',
    'e9',
    'caf-e9-',
    '<b>',
    'versions',
    'filter',
    '\\',
  ]
  const hostile = () =>
    describing(
      Object.fromEntries(
        names.map((name, index) => [
          name,
          {
            versioned: true,
            fields: {
              id: key,
              ...Object.fromEntries(
                names
                  .filter((one) => one !== 'versions')
                  .map((one) => [one, { type: 'string', nullable: true } as const]),
              ),
              next: { type: 'm2o', to: names[(index + 1) % names.length] ?? '' },
              others: { type: 'o2m', from: `${names[(index + names.length - 1) % names.length]}.next` },
              ...(name === 'versions' && versionFields),
            },
          },
        ]),
      ),
    )
  const text = { type: 'string', nullable: true } as const
  const versionFields: Record<string, FieldDefinition> = Object.fromEntries(
    [
      'key',
      'name',
      'collection',
      'item',
      'hash',
      'delta',
      'date_created',
      'date_updated',
      'user_created',
      'user_updated',
    ].map((name) => [name, text]),
  )

  it('become names of components by one rule, and stay apart', async () => {
    const made = hostile()
    expect(await mistakes(made)).toBeUndefined()
    for (const part of [made.components.schemas, made.components.parameters, made.components.responses])
      for (const name of Object.keys(part)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
    for (const name of [
      'caf.e9.',
      'a.20.b',
      'say.20..22.x.22.',
      '.7b.key.7d.',
      '.1f4a9.',
      'toString',
      'Error',
    ])
      expect(Object.keys(made.components.schemas)).toContain(name)
    const ids = operationsOf(made).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const items = Object.keys(made.paths).filter((path) => /^\/items\/[^/]+$/.test(path))
    expect(items.map((path) => decodeURIComponent(path.slice('/items/'.length)))).toEqual(names)
    expect(items.filter((path) => /[{}]/.test(path))).toEqual([])
  })

  it('are the properties of items as they are', () => {
    const made = hostile()
    const properties = Object(made.components.schemas['caf.e9.']?.properties)
    for (const name of names.filter((one) => one !== 'versions'))
      expect(Object.hasOwn(properties, name)).toBe(true)
  })
})

describe('the size of a document', () => {
  const plain: readonly FieldDefinition['type'][] = [
    'string',
    'integer',
    'timestamp',
    'decimal',
    'json',
    'boolean',
  ]
  const fields = Object.fromEntries(
    Array.from({ length: 18 }, (_, index) => [
      `f${index}`,
      { type: plain[index % 6], nullable: true } as FieldDefinition,
    ]),
  )
  /** Every collection leads to others, and so to all. */
  const sized = (count: number) =>
    describing(
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `c${1000 + index}`,
          {
            fields: {
              id: key,
              ...fields,
              one: { type: 'm2o', to: `c${1000 + ((index + 1) % count)}` },
              other: { type: 'm2o', to: `c${1000 + ((index + 7) % count)}` },
              all: { type: 'o2m', from: `c${1000 + ((index + count - 1) % count)}.one` },
            },
          } as const,
        ]),
      ),
    )

  it('grows with the schema, and not faster', () => {
    const [some = 0, more = 0, most = 0] = [100, 200, 500].map((count) => JSON.stringify(sized(count)).length)
    const each = (more - some) / 100
    expect((most - more) / 300).toBe(each)
    expect(each).toBeLessThan(25_000)
  })
})
