// What is wrong is said before a file begins.
import { beforeAll, describe, expect, it } from 'vitest'
import { formats } from '../../../src/export/formats.ts'
import { exportItems } from '../../../src/export.ts'
import { createEngine, defineSchema, type Engine, parseQuery } from '../../../src/index.ts'
import { createTables } from '../../conformance/tables.ts'
import { openSqlite } from '../../support/databases.ts'

const schema = defineSchema({
  rows: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

describe('a file', () => {
  let engine: Engine<typeof schema>
  beforeAll(async () => {
    const opened = await openSqlite()
    await createTables('sqlite', opened.db, schema, { rows: [{ id: 1, text: 'one' }] })
    engine = createEngine({ db: opened.db, schema, clock: () => new Date('2024-03-01T12:00:00Z') })
  })

  it.each(Object.entries(formats))(
    'of %s has a name and a media type',
    async (format, { type, extension }) => {
      const query = parseQuery(`export=${format}&fields=text`)
      const file = await exportItems(engine, 'rows', query, query.export ?? 'csv')
      expect(file).toMatchObject({ type, filename: `rows-20240301T120000Z.${extension}`, truncated: false })
      expect(await new Response(file.body).text()).toContain('one')
    },
  )

  it.each<readonly [string, Readonly<Record<string, unknown>>, string[], string]>([
    [
      'a parameter that contradicts the call',
      { export: 'xml' },
      ['export'],
      'wants a file of "xml", and the call one of "csv"',
    ],
    ['a parameter that is no format', { export: 'pdf' }, ['export'], 'wants a file of "pdf"'],
    [
      'a wish to know about the list',
      { meta: '*' },
      ['meta'],
      'A file holds the items of a list, and nothing about them.',
    ],
    ['a version', { version: 'draft' }, ['version'], 'Only a single item has versions.'],
    ['an unknown field', { fields: ['txt'] }, ['fields'], 'There is no field "txt"'],
    ['a value of another type', { filter: { id: 'x' } }, ['filter', 'id'], 'takes a whole number'],
  ])('is refused with %s', async (_, query, path, message) => {
    // Most of these the compiler would refuse, too.
    await expect(exportItems(engine as unknown as Engine, 'rows', query, 'csv')).rejects.toMatchObject({
      path: expect.arrayContaining(path),
      message: expect.stringContaining(message),
    })
  })

  it('of an unknown format is refused with a suggestion', async () => {
    await expect(exportItems(engine, 'rows', {}, 'cvs' as 'csv')).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      message: 'There is no format "cvs"; there are csv, json, ndjson, xml, yaml.',
      hint: 'Did you mean "csv"?',
    })
  })

  it('of a collection that is not there is refused', async () => {
    await expect(exportItems(engine as unknown as Engine, 'nothing', {}, 'csv')).rejects.toMatchObject({
      status: 404,
    })
  })
})
