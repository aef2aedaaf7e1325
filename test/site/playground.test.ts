// The playground of the site in Chromium: the engine over SQLite in a page. `npm run test:site`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { board, hashOf, type Inputs } from '../../docs/site/.vitepress/theme/inputs.ts'
import { diagnosticsOf, openCompiler } from '../support/compiler.ts'
import { openSite, type SitePage } from './open-site.ts'

let page: SitePage

beforeAll(async () => {
  page = await openSite()
  await page.show(1280, 'light')
})

afterAll(() => page.close())

const field = (name: string) => `document.querySelector('.playground [name=${name}]')`
const textOf = (part: string) => `document.querySelector('.outcome .${part}')?.textContent`

/** Writes what differs from the board, and runs it. */
async function visit(changes: Partial<Inputs> = {}): Promise<void> {
  const hash = hashOf({ ...board, ...changes })
  await page.visit(`/playground.html#${hash}`)
  if (hash === '') await page.evaluate(`document.querySelector('.playground button').click()`)
  await page.until(`document.querySelector('.outcome :is(.answer, .error)')`)
}

const answer = async () => JSON.parse(await page.evaluate(textOf('answer')))

it('loads neither engine nor database before somebody runs something', async () => {
  await page.visit('/playground.html')
  const loaded = `performance.getEntriesByType('resource').filter(({ name }) => /wasm|run-/.test(name)).length`
  expect(await page.evaluate(loaded)).toBe(0)
  await page.evaluate(`document.querySelector('.playground button').click()`)
  await page.until(textOf('answer'))
  expect(await page.evaluate(loaded)).toBeGreaterThan(0)
})

it('shows the answer, its statement and its type', async () => {
  await visit()
  expect((await answer()).data).toHaveLength(3)
  expect(await page.evaluate(textOf('sql'))).toContain('from "lanes"')
  expect(await page.evaluate(textOf('type'))).toContain('cards_count: number')
})

it('switches rules on and off, and keeps that in the address', async () => {
  await visit()
  const counts = async () =>
    (await answer()).data.map(({ cards_count }: { cards_count: number }) => cards_count)
  expect(await counts()).toEqual([2, 1, 1])
  await page.evaluate(`${field('rules')}.click()`)
  await page.until(`${textOf('sql')}.includes('"owner" =') && location.hash.includes('rules')`)
  expect(await counts()).toEqual([1, 1])
  await page.visit(await page.evaluate('location.pathname + location.hash'))
  await page.until(textOf('answer'))
  expect(await counts()).toEqual([1, 1])
  await page.evaluate(`${field('rules')}.click()`)
  await page.until(`location.hash === ''`)
})

it('shows an error with its hint, and the answer when it is mended', async () => {
  await visit({ collection: 'lane' })
  expect(await page.evaluate(textOf('error'))).toContain('NOT_FOUND')
  expect(await page.evaluate(textOf('hint'))).toBe('Did you mean "lanes"?')
  await page.evaluate(`${field('collection')}.focus()`)
  await page.press('End')
  await page.type('s')
  await page.until(textOf('answer'))
})

it.each([
  [{ query: '{ fields: ' }, 'Not valid: query'],
  [{ data: 'create tabel people' }, 'Not valid: data'],
  [{ schema: '{ lanes: {} }' }, 'INVALID_SCHEMA'],
])('says where %o is wrong', async (changes, where) => {
  await visit(changes)
  expect(await page.evaluate(textOf('error'))).toContain(where)
})

it('stops what never ends after ten seconds, and runs the next', async () => {
  await visit({
    data: 'with recursive endless(n) as (select 1 union all select n + 1 from endless) select max(n) from endless;',
  })
  expect(await page.evaluate(textOf('error'))).toContain('It took more than ten seconds, and was stopped.')
  await page.evaluate(
    `${field('data')}.value = ${JSON.stringify(board.data)}; ${field('data')}.dispatchEvent(new Event('input'))`,
  )
  await page.evaluate(`document.querySelector('.playground button').click()`)
  await page.until(textOf('answer'))
})

it('goes on behind a cursor', async () => {
  const query = `{ fields: ['title', '$cursor'], sort: 'title', limit: 1 }`
  await visit({ query })
  const [first] = (await answer()).data
  await visit({ query: query.replace('limit', `after: '${first.$cursor}', limit`) })
  expect((await answer()).data[0].title > first.title).toBe(true)
})

describe('the type', () => {
  const compiler = openCompiler()

  it.each([
    ['lanes', board.query],
    ['cards', '{}'],
    ['cards', `{ fields: ['*', 'lane.cards', 'year(due)', 'owner.name'] }`],
    ['cards', `{ groupBy: ['lane.title', 'due'], aggregate: { count: '*', sum: 'points', max: 'due' } }`],
  ])('of %s by %s is what the compiler infers', async (collection, query) => {
    await visit({ collection, query })
    const module = `
      import { createEngine, defineSchema, listItems } from 'quernel'
      const engine = createEngine({ db: {} as never, schema: defineSchema(${board.schema}) })
      const list = () => listItems(engine, '${collection}', ${query})
      type Inferred = Awaited<ReturnType<typeof list>>
      type Printed = ${await page.evaluate(textOf('type'))}
      export const printed: Printed = {} as Inferred
      export const inferred: Inferred = {} as Printed`
    const file = `${import.meta.dirname}/in-memory.ts`
    const program = compiler.programOf([file], new Map([[file, module]]))
    expect(diagnosticsOf(program, file).map(({ messageText }) => messageText)).toEqual([])
  })
})

it.each(['light', 'dark'] as const)('can be used by everybody, in %s', async (scheme) => {
  await page.show(1280, scheme)
  await visit()
  expect(await page.obstacles()).toEqual([])
})

it('nothing is fetched from elsewhere, and nothing fails', () => {
  expect(page.messages).toEqual([])
})
