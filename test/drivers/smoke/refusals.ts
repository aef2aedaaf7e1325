// What the database refuses, and what it says of itself.
import { createHandler } from '../../../src/http.ts'
import { createItem, createItems, deleteItem, listItems, updateItem } from '../../../src/index.ts'
import { introspectSchema, readCatalogue } from '../../../src/introspect.ts'
import { type Check, check, type Group, type Place } from './check.ts'

const refused = (title: string, work: (place: Place) => Promise<unknown>): Check =>
  check(title, (place) =>
    work(place).then(
      (value) => ({ taken: value }),
      (error: unknown) => error,
    ),
  )

const errors: readonly Check[] = [
  refused('a value that is taken', async ({ engine }) => {
    await createItem(engine, 'owners', { name: 'Ada' })
    return createItem(engine, 'owners', { name: 'Ada' })
  }),
  refused('a key that is taken', ({ engine }) => createItem(engine, 'owners', { id: 1, name: 'Bo' })),
  refused('values that are taken together', async ({ engine }) => {
    await createItem(engine, 'pets', { owner: 1, age: 3, site: 'a', slug: 'b' })
    return createItem(engine, 'pets', { owner: 1, site: 'a', slug: 'b' })
  }),
  refused('a key that leads nowhere', ({ engine }) => createItem(engine, 'pets', { owner: 99 })),
  refused('to delete what others point to', ({ engine }) => deleteItem(engine, 'owners', 1)),
  refused('no value where there has to be one', ({ engine }) =>
    updateItem(engine, 'pets', 1, { owner: null }),
  ),
  refused('a value that does not pass a check', ({ engine }) => updateItem(engine, 'pets', 1, { age: -1 })),
  refused('one of several items, and all of them with it', async ({ engine }) => {
    const work = createItems(engine, 'owners', [
      { id: 5, name: 'Cy' },
      { id: 6, name: 'Ada' },
    ])
    const error = await work.catch((one: unknown) => one)
    return [error, await listItems(engine, 'owners')]
  }),
  refused('a table that is not there', ({ engine }) => listItems(engine, 'missing')),
  refused('a field that is not there', ({ engine }) =>
    listItems(engine, 'books', { fields: ['titel'] as never }),
  ),
]

const catalogue: readonly Check[] = [
  check('the schema is read', async ({ db }) => {
    const { definition, report } = await introspectSchema(db, {
      exclude: ['values_*', 'holders', 'versions'],
    })
    return { definition, report }
  }),
  check('the catalogue is read', async ({ db }) => {
    const { tables } = await readCatalogue(db)
    const shown = tables.filter(({ name }) => name === 'pets' || name === 'books')
    // Each run on a server has a schema of its own.
    return JSON.stringify(shown).replaceAll(`"${shown[0]?.schema}"`, '"main"')
  }),
]

const http: readonly Check[] = [
  check('requests are answered', async ({ engine }) => {
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const ask = async (path: string, body?: object) => {
      const request = new Request(`http://localhost${path}`, {
        ...(body && {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
      const response = await handler(request)
      return [response.status, await response.text()]
    }
    return [
      await ask('/items/books?fields=id,title,author.name,chapters.title&sort=-id&limit=2&meta=*'),
      await ask('/items/events', { what: 'over HTTP' }),
      await ask('/items/owners', { name: 'Ada' }),
      await ask('/items/books?fields=titel'),
    ]
  }),
]

export const otherGroups: readonly Group[] = [
  { title: 'errors', checks: errors },
  { title: 'introspection', checks: catalogue },
  { title: 'HTTP', checks: http },
]
