// More versions than a list may have.
import { expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { createVersion, type Engine, type Schema } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { openWorld } from '../../versions/collections.ts'

const rules = { versions: { read: true }, articles: { read: { filter: { id: 1 } } } }

it.each(databases)('on $name of many versions a caller saw only some of their own', async (database) => {
  const { engine } = await openWorld(database, { limits: { defaultLimit: 2, maxLimit: 3 } })

  for (let count = 0; count < 5; count++)
    for (const article of [1, 2]) await createVersion(engine, 'articles', article, { key: `v${count}` })
  // The rules name collections by text.
  const handler = createHandler(engine as unknown as Engine<Schema>, { authenticate: () => ({ rules }) })
  const list = async (query: string) =>
    (await handler(new Request(`http://localhost/versions?fields=key,item&sort=key&${query}`))).json()
  const seen = (...counts: readonly number[]) => counts.map((count) => ({ key: `v${count}`, item: '1' }))
  expect(await list('limit=3&meta=total_count,filter_count')).toEqual({
    data: seen(0, 1, 2),
    meta: { total_count: 5, filter_count: 5 },
  })
  expect(await list('limit=3&offset=3&filter[key][_neq]=v0')).toEqual({ data: seen(4) })
})
