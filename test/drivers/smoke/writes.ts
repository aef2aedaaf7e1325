// Writes of one item and of many, nested ones, transactions, streams and versions.
import { exportItems } from '../../../src/export.ts'
import {
  compareVersion,
  createItem,
  createItems,
  createVersion,
  deleteByQuery,
  deleteItem,
  deleteItems,
  deleteVersion,
  getItem,
  listItems,
  listVersions,
  promoteVersion,
  saveVersion,
  streamItems,
  updateByQuery,
  updateItem,
  updateItems,
  updateSingleton,
} from '../../../src/index.ts'
import { type Check, check, type Group, type Place } from './check.ts'

/** The notes of a check, of which each has keys of its own, with their lines. */
const notes = ({ engine }: Place, from: number) =>
  listItems(engine, 'notes', {
    fields: ['id', 'subject', 'stars', 'lines.id', 'lines.text'],
    filter: { id: { _between: [from, from + 9] } },
    deep: { lines: { _sort: ['id'] } },
  })

const single: readonly Check[] = [
  check('an item is created, and the database makes its key', ({ engine }) =>
    createItem(engine, 'events', { what: 'created', times: 1 }),
  ),
  check('an item is updated', async ({ engine }) => [
    await updateItem(engine, 'events', 1, { what: 'changed', times: null }),
    await updateItem(engine, 'events', 1, { times: 7 }, { fields: ['what', 'times', 'noted'] }),
  ]),
  check('an item is deleted', async ({ engine }) => [
    await deleteItem(engine, 'events', 2),
    await deleteItem(engine, 'events', 2).catch((error: unknown) => error),
  ]),
  check('items are deleted by a query', async ({ engine }) => [
    await deleteByQuery(engine, 'events', { filter: { times: 3 } }),
    await listItems(engine, 'events', { fields: ['id', 'what', 'times'] }),
  ]),
]

const several: readonly Check[] = [
  check('an item with a key of its own, and what is nested in it', ({ engine }) =>
    createItem(engine, 'notes', { id: 100, subject: 'one', stars: 3 }, { fields: ['*', 'lines.*'] }),
  ),
  check('many items are created', async (place) => {
    const items = [1, 2, 3].map((at) => ({ id: 200 + at, subject: `number ${at}` }))
    return [
      await createItems(place.engine, 'notes', items, { fields: ['id', 'subject'] }),
      await notes(place, 200),
    ]
  }),
  check('many items are updated, by key and by a query', async (place) => {
    await createItems(place.engine, 'notes', [
      { id: 210, subject: 'a' },
      { id: 211, subject: 'b' },
    ])
    return [
      await updateItems(place.engine, 'notes', [210, 211], { stars: 1 }, { fields: ['id', 'stars'] }),
      await updateByQuery(place.engine, 'notes', { filter: { id: 211 } }, { stars: 2 }),
      await notes(place, 210),
    ]
  }),
  check('many items are deleted', async (place) => {
    await createItems(place.engine, 'notes', [
      { id: 220, subject: 'a' },
      { id: 221, subject: 'b' },
    ])
    return [await deleteItems(place.engine, 'notes', [220]), await notes(place, 220)]
  }),
  check('an item with its children is created', async (place) => {
    const item = {
      id: 230,
      subject: 'a',
      lines: [
        { id: 2300, text: 'first' },
        { id: 2301, text: 'second' },
      ],
    }
    return [
      await createItem(place.engine, 'notes', item, { fields: ['subject', 'lines.text'] }),
      await notes(place, 230),
    ]
  }),
  check('children are created, changed and taken off', async (place) => {
    const lines = [
      { id: 2400, text: 'first' },
      { id: 2401, text: 'second' },
    ]
    await createItem(place.engine, 'notes', { id: 240, subject: 'a', lines })
    const changes = {
      create: [{ id: 2402, text: 'third' }],
      update: [{ id: 2400, text: 'changed' }],
      delete: [2401],
    }
    await updateItem(place.engine, 'notes', 240, { lines: changes })
    return notes(place, 240)
  }),
  check('what an item belongs to is created with it', async ({ engine }) => {
    await createItem(engine, 'lines', { id: 2500, text: 'first', note: { id: 250, subject: 'above' } })
    return getItem(engine, 'lines', 2500, { fields: ['text', 'note.subject'] })
  }),
  check('many-to-many is set', async ({ engine }) => {
    await updateItem(engine, 'books', 5, {
      genres: [
        { id: 50, genre: 2 },
        { id: 51, genre: { id: 9, name: 'new' } },
      ],
    })
    return getItem(engine, 'books', 5, { fields: ['genres.genre.name'], deep: { genres: { _sort: ['id'] } } })
  }),
  check('a singleton is created, and updated', async ({ engine }) => [
    await updateSingleton(engine, 'settings', { motto: 'Loudly.' }),
    await updateSingleton(engine, 'settings', { motto: 'Quietly, again.' }),
  ]),
]

const transactions: readonly Check[] = [
  check('a transaction is committed', async (place) => {
    await place.engine.transaction(async (own) => {
      await createItem(own, 'notes', { id: 300, subject: 'kept' })
      await updateItem(own, 'notes', 300, { stars: 1 })
    })
    return notes(place, 300)
  }),
  check('a transaction is rolled back', async (place) => {
    const work = place.engine.transaction(async (own) => {
      await createItem(own, 'notes', { id: 310, subject: 'lost' })
      throw new Error('no')
    })
    return [await work.catch((error: unknown) => error), await notes(place, 310)]
  }),
  check('what fails inside of a transaction is undone alone', async (place) => {
    await place.engine.transaction(async (own) => {
      await createItem(own, 'notes', { id: 320, subject: 'kept' })
      await createItems(own, 'notes', [
        { id: 321, subject: 'lost' },
        { id: 320, subject: 'taken' },
      ]).catch(() => undefined)
      await createItem(own, 'notes', { id: 322, subject: 'kept, too' })
    })
    return notes(place, 320)
  }),
  check('calls at the same time do not get in the way of each other', async (place) => {
    const ids = [330, 331, 332, 333, 334]
    const work = ids.map((id) =>
      createItems(place.engine, 'notes', [{ id, subject: 'x', lines: [{ id: id * 10, text: `of ${id}` }] }]),
    )
    await Promise.all([...work, ...ids.map(() => listItems(place.engine, 'books'))])
    return notes(place, 330)
  }),
  check("the host's own transaction", async (place) => {
    await place.db.transaction().execute(async (transaction) => {
      const own = place.engine.using(transaction)
      await createItem(own, 'notes', { id: 340, subject: 'kept' })
      await deleteItem(own, 'notes', 340)
      await createItem(own, 'notes', { id: 341, subject: 'kept' })
    })
    return notes(place, 340)
  }),
]

const streams: readonly Check[] = [
  check('a stream of 1,200 rows', async ({ engine }) => {
    const rows: unknown[] = []
    for await (const row of streamItems(engine, 'numbers', { sort: '-id' })) rows.push(row)
    return rows
  }),
  check('writes behind sorted streams, by statements', async ({ engine }) => {
    const counts: number[] = []
    for (const sort of ['word', '-square', 'id']) {
      let count = 0
      for await (const _ of streamItems(engine, 'numbers', { sort })) count++
      counts.push(count)
      await createItem(engine, 'events', { what: `behind ${sort}` })
    }
    return [counts, await createItem(engine, 'events', { what: 'at last' }, { fields: ['what'] })]
  }),
  check('transactions behind sorted streams', async (place) => {
    const { engine } = place
    for (const [at, sort] of ['word', '-square', 'id'].entries()) {
      for await (const _ of streamItems(engine, 'numbers', { sort }));
      await engine.transaction((own) => createItem(own, 'notes', { id: 350 + at, subject: sort }))
      await createItem(engine, 'notes', { id: 355 + at, subject: 'alone' })
    }
    return notes(place, 350)
  }),
  check('a stream with nested lists, left early', async ({ engine }) => {
    const rows: unknown[] = []
    for await (const row of streamItems(engine, 'books', { fields: ['title', 'chapters.title'] })) {
      rows.push(row)
      if (rows.length === 2) break
    }
    return [rows, await getItem(engine, 'books', 1)]
  }),
  check('an export', async ({ engine }) => {
    const { body } = await exportItems(engine, 'books', { fields: ['id', 'title', 'author.name'] }, 'csv')
    return new Response(body).text()
  }),
]

const versions: readonly Check[] = [
  check('the table of versions is installed', ({ engine }) => engine.install()),
  check('a version is created, saved, read and listed', async ({ engine }) => {
    await createVersion(engine, 'books', 3, { key: 'draft', name: 'Draft' })
    await saveVersion(engine, 'books', 3, 'draft', { title: 'Red fish', pages: 41 })
    const saved = await listVersions(engine, 'books', 3, { fields: ['key', 'name', 'delta'] })
    return [saved, await getItem(engine, 'books', 3, { fields: ['title', 'pages'], version: 'draft' })]
  }),
  check('a version is promoted', async ({ engine }) => {
    await createVersion(engine, 'books', 4, { key: 'spring', name: 'Spring' })
    await saveVersion(engine, 'books', 4, 'spring', { pages: 7 })
    const { mainHash } = await compareVersion(engine, 'books', 4, 'spring')
    await promoteVersion(engine, 'books', 4, 'spring', { mainHash })
    return getItem(engine, 'books', 4, { fields: ['pages'] })
  }),
  check('a version is deleted', async ({ engine }) => {
    await createVersion(engine, 'books', 2, { key: 'gone', name: 'Gone' })
    await deleteVersion(engine, 'books', 2, 'gone')
    return listVersions(engine, 'books', 2, { fields: ['key'] })
  }),
]

export const writeGroups: readonly Group[] = [
  { title: 'writes of one row', checks: single },
  { title: 'writes of several rows and tables', checks: several },
  { title: 'transactions', checks: transactions },
  { title: 'streams and exports', checks: streams },
  { title: 'versions', checks: versions },
]
