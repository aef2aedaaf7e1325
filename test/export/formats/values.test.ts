// Values of every type and hostile texts, out of a database into files and back.
import { beforeAll, describe, expect, it } from 'vitest'
import type { ExportFormat } from '../../../src/export/formats.ts'
import { exportItems } from '../../../src/export.ts'
import { createEngine, defineSchema, type Engine, listItems } from '../../../src/index.ts'
import { createTables } from '../../conformance/tables.ts'
import { integer, key, many, maybeOne, one, string } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { cellsOf, csvRows, readings } from '../parsers.ts'

const schema = defineSchema({
  people: { fields: { id: key, name: string, boss: maybeOne('people') } },
  values: {
    fields: {
      id: key,
      whole: integer,
      big: { type: 'bigInteger' },
      real: { type: 'float', nullable: true },
      price: { type: 'decimal', scale: 2, storage: 'text' },
      text: { type: 'text', nullable: true },
      '=formula': { type: 'string', nullable: true },
      code: { type: 'uuid' },
      flag: { type: 'boolean' },
      day: { type: 'date' },
      hour: { type: 'time' },
      local: { type: 'dateTime' },
      moment: { type: 'timestamp' },
      paper: { type: 'json', nullable: true },
      words: { type: 'csv' },
      bytes: { type: 'binary' },
      secret: { type: 'hash' },
      pin: { type: 'integer', conceal: true },
      owner: maybeOne('people'),
      notes: many('notes.value'),
    },
  },
  notes: { fields: { id: key, text: { type: 'text' }, value: one('values') } },
})

// Every text is there as a value, in a document, as a name in one, and in the items of a list.
const rows = {
  people: [
    { id: 1, name: '@Ada, "the first"', boss: 2 },
    { id: 2, name: '', boss: null },
  ],
  values: hostileTexts.map((text, index) => ({
    id: index + 1,
    whole: index % 2 === 0 ? -5 : 0,
    big: '-9007199254740993',
    real: index % 3 === 0 ? null : -1.5e-7,
    price: '-12.50',
    text: index % 10 === 9 ? null : text,
    '=formula': text,
    code: '00000000-0000-4000-8000-000000000001',
    flag: index % 2 === 0,
    day: '2024-02-29',
    hour: '08:30:00',
    local: '2024-02-29T08:30:00',
    moment: '2024-02-29T08:30:00.250Z',
    paper: index % 4 === 0 ? text : { [`a${text}`]: [text, null, -1, true, {}] },
    words: ['=1', 'no', '~'],
    bytes: '+/8=',
    secret: 'x',
    pin: 1,
    owner: index % 3 === 0 ? null : 1,
  })),
  notes: hostileTexts.map((text, index) => ({ id: index + 1, text, value: (index % 7) + 1 })),
}

const query = {
  fields: ['*', 'owner.name', 'owner.boss.name', 'notes.text', 'json(paper, [0])'],
  limit: -1,
} as const
const json = new Set(['paper', 'words', 'notes', 'paper_0_json'])
const text = ['text', '=formula', 'owner.name', 'owner.boss.name', 'bytes', 'secret']

describe.each(lanes)('on $title', ({ name, open }) => {
  let engine: Engine<typeof schema>
  let items: readonly Record<string, unknown>[]
  beforeAll(async () => {
    const opened = await open()
    await createTables(name, opened.db, schema, rows)
    engine = createEngine({ db: opened.db, schema })
    items = (await listItems(engine, 'values', query)).data
  })
  const exported = async (format: ExportFormat, options = {}) =>
    new Response((await exportItems(engine, 'values', query, format, options)).body).text()

  it.each(['json', 'ndjson', 'xml', 'yaml'] as const)('%s holds what the list answers', async (format) => {
    expect(items).toHaveLength(hostileTexts.length)
    for (const reading of readings[format](await exported(format))) expect(reading).toEqual(items)
  })

  it('without its guard CSV holds what the list answers', async () => {
    const { header, rows: cells } = csvRows(await exported('csv', { guardFormulas: false }))
    expect(header).toEqual(
      'id,whole,big,real,price,text,=formula,code,flag,day,hour,local,moment,paper,words,bytes,secret,pin,owner.name,owner.boss.name,notes,paper_0_json'.split(
        ',',
      ),
    )
    expect(cells).toEqual(cellsOf(items, header, json))
  })

  it('with its guard CSV has a mark before what begins like a formula, and nowhere else', async () => {
    const { header, rows: cells } = csvRows(await exported('csv'))
    const bare = csvRows(await exported('csv', { guardFormulas: false }))
    expect(header[6]).toBe("'=formula")
    const marked = bare.rows.map((row) =>
      row.map((cell, at) => {
        const isText = text.includes(bare.header[at] ?? '')
        return isText && cell && '=+-@\t\r\n＝＋－＠'.includes(cell.charAt(0)) ? `'${cell}` : cell
      }),
    )
    expect(cells).toEqual(marked)
    expect(cells.flat().filter((cell) => cell?.startsWith("'")).length).toBeGreaterThan(20)
    // Numbers are numbers, whatever sign they have.
    expect(cells[1]?.slice(1, 5)).toEqual(['0', '-9007199254740993', '-1.5e-7', '-12.50'])
  })

  it('the columns of CSV are the same when there are no rows', async () => {
    const empty = await exportItems(engine, 'values', { ...query, filter: { id: 0 } }, 'csv')
    const [header] = (await exported('csv')).split('\r\n')
    expect(await new Response(empty.body).text()).toBe(`${header}\r\n`)
  })
})

it('text in a column of numbers is guarded, because some databases let it in', async () => {
  const lane = lanes.find(({ name }) => name === 'sqlite')
  const opened = await lane?.open()
  if (!opened) throw new Error('There is no SQLite.')
  await createTables('sqlite', opened.db, schema, { people: [{ id: 1, name: 'Ada' }] })
  const loose = defineSchema({ people: { fields: { id: key, name: { type: 'bigInteger' } } } })
  await opened.db.updateTable('people').set({ name: '=1+1' }).execute()
  const { body } = await exportItems(createEngine({ db: opened.db, schema: loose }), 'people', {}, 'csv')
  expect(await new Response(body).text()).toBe("id,name\r\n1,'=1+1\r\n")
})
