// The page of GraphQL in a real browser: `npm run test:browser`.
import { createServer, type Server } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../../../src/graphql.ts'
import { createHandler, toNode } from '../../../src/http.ts'
import { createEngine, createItem, createItems, defineSchema } from '../../../src/index.ts'
import { type ChromiumPage, openChromiumPage } from '../../support/chromium-page.ts'
import { openSqlite } from '../../support/databases.ts'
import { portOf } from '../../support/listening.ts'

/** What would run, were it HTML. */
const hostile = '</script><img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>'

const schema = defineSchema({
  tags: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string', nullable: true, note: `Shown in lists. ${hostile}` },
      secret: { type: 'string', nullable: true },
      meta: { type: 'json', nullable: true },
      parent: { type: 'm2o', to: 'tags', nullable: true },
    },
  },
})

let server: Server
let page: ChromiumPage
let base: string

beforeAll(async () => {
  const database = await openSqlite()
  const { db } = database
  await sql`create table tags (id integer primary key, name text, secret text, meta text, parent integer)`.execute(
    db,
  )
  const engine = createEngine({ db, schema })
  await createItem(engine, 'tags', { name: hostile, secret: 'hush', meta: { [hostile]: hostile } })
  await createItems(
    engine,
    'tags',
    Array.from({ length: 600 }, (_, index) => ({ name: `tag ${index}` })),
  )
  const readable = { tags: { read: { fields: ['id', 'name', 'meta', 'parent'] } } } as const
  const authenticate = (token: string | null) => {
    // It answers when the test is over.
    if (token === 'slow')
      return new Promise<null>((resolve) => void server.once('close', () => resolve(null)))
    return token === 'admin' ? { admin: true } : token === null ? { rules: readable } : null
  }
  const mounts = [
    graphql({ page: true }),
    graphql({ page: true, prefix: '/closed', introspection: false }),
    graphql({ page: true, prefix: '/known', documents: () => undefined, onlyDocuments: true }),
  ]
  server = createServer(toNode(createHandler(engine, { authenticate, mounts })))
  const port = await portOf(server)
  base = `http://127.0.0.1:${port}`
  page = await openChromiumPage()
  await page.send('Emulation.setDeviceMetricsOverride', {
    width: 1400,
    height: 800,
    deviceScaleFactor: 1,
    mobile: false,
  })
  await page.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `window.violations = []
      document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.blockedURI))`,
  })
})

afterAll(() => page?.close())

beforeEach(() => visit('/graphql'))

/** Opens the page anew, with nothing from before. */
async function visit(path: string): Promise<void> {
  await page.open('about:blank')
  await page.open(`${base}${path}`)
  await page.until(
    `document.querySelector('.types')?.textContent.trim().length > 0 && !document.querySelector('.types').textContent.includes('loading')`,
  )
}

const texts = (selector: string) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent)`,
  )
const text = async (selector: string) => (await texts(selector)).join('\n')
const written = (name: 'document' | 'variables') =>
  page.evaluate<string>(`document.querySelector('#${name} textarea').value`)
const focus = (selector: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`)
const click = (selector: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`)
const words = () => texts('.popup:not([hidden]) li > span:first-child')
/** Writes a text at once, as pasting would. */
const insert = (pasted: string) => page.send('Input.insertText', { text: pasted })
const marks = () => texts('#document .mark')

/** Runs what is written, and returns what is shown of the answer. */
async function run(): Promise<string> {
  await page.evaluate(`document.querySelector('#answer').replaceChildren()`)
  await page.press('Enter', ['Control'])
  await page.until(
    `document.querySelector('#answer').childNodes.length > 0 && document.querySelector('#answer').ariaBusy !== 'true'`,
  )
  return text('#answer')
}

describe('the page in a browser', () => {
  it('loads under its policy, which nothing violates', async () => {
    expect(await page.evaluate('violations')).toEqual([])
    expect(await text('h1')).toBe('GraphQL/graphql')
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Document')
    expect(page.messages.filter((one) => /Content Security Policy|exceptionThrown/.test(one))).toEqual([])
  })

  it('completes a document while it is written, runs it, and shows the answer', async () => {
    await page.type('{ta')
    expect((await words()).slice(0, 2)).toEqual(['tags', 'tags_by_id'])
    await page.press('Tab')
    await page.type('(li')
    expect(await words()).toEqual(['limit'])
    await page.press('Enter')
    await page.type('1) {na')
    await page.press('Enter')
    expect(await written('document')).toBe('{tags(limit: 1) {name}}')
    expect(await run()).toContain(`"name": ${JSON.stringify(hostile)}`)
    expect(await text('.bar .facts')).toMatch(/^200 · [\d.]+ ms · \d+ bytes$/)
  })

  it('suggests by Ctrl and Space what there is, by keys and for screen readers', async () => {
    await insert('{ tags {  } }')
    for (let left = 0; left < 4; left++) await page.press('ArrowLeft')
    await page.press(' ', ['Control'])
    expect(await words()).toEqual(['id', 'name', 'meta', 'meta_func', 'parent', '_cursor', '__typename'])
    const active = () =>
      page.evaluate<string>(
        `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent`,
      )
    expect(await active()).toBe('idID!')
    await page.press('ArrowDown')
    expect(await active()).toBe('nameString')
    expect(await text('.popup .about')).toContain('Shown in lists.')
    await page.press('ArrowUp')
    await page.press('ArrowUp')
    expect(await active()).toBe('__typenameString!')
    await page.press('Escape')
    expect(await words()).toEqual([])
    await page.press(' ', ['Control'])
    await page.press('ArrowDown')
    await page.press('Enter')
    expect(await written('document')).toBe('{ tags { name } }')
    await page.press('z', ['Control'])
    expect(await written('document')).toBe('{ tags {  } }')
  })

  it('writes the other bracket and the indent of a line', async () => {
    await page.type('query Q {\ntags {\nid\n')
    expect(await written('document')).toBe('query Q {\n  tags {\n    id\n    \n  }\n}')
    await page.type('(')
    expect(await written('document')).toContain('    ()\n')
    await page.press('Backspace')
    expect(await written('document')).toBe('query Q {\n  tags {\n    id\n    \n  }\n}')
    await page.press('z', ['Control'])
    expect(await written('document')).toContain('    ()\n')
  })

  it('leaves Tab to the browser where no word is suggested', async () => {
    await page.press('Tab')
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Variables, as JSON')
  })

  it('underlines a syntax error at its place', async () => {
    await insert('{\n  tags {\n    name(\n  }\n}')
    expect(await run()).toContain('"errors"')
    expect(await texts('#errors .message')).toEqual([expect.stringContaining('Syntax Error')])
    expect(await text('#errors .facts')).toContain('4:3')
    expect(await marks()).toEqual(['}'])
  })

  it('underlines every mistake, and shows the one that is pointed to', async () => {
    await insert('query ($n: Int) { tags { colour name(x: 1) } }')
    await run()
    expect((await marks()).sort()).toEqual(['$n', 'colour', 'x'])
    const first = await text('#errors li:first-child .message')
    await click('#errors li:first-child button')
    const shown = await text('#document .mark.shown')
    expect(first).toContain(`"${shown}"`)
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Document')
    await page.type(' ')
    expect(await marks()).toEqual([])
  })

  it('shows a forbidden field as one that is not there, until a token is typed', async () => {
    await click('.types .link')
    expect(await text('.types')).not.toContain('secret')
    await insert('{ tags(limit: 1) { secret } }')
    expect(await run()).toContain('Cannot query field \\"secret\\"')
    await focus('#token')
    await insert('admin')
    await page.until(`document.querySelector('.types').textContent.includes('secret')`)
    expect(await run()).toContain('"secret": "hush"')
    expect(await texts('#errors li')).toEqual([])
  })

  it('says so where a token is not known', async () => {
    await focus('#token')
    await insert('mallory')
    await page.until(`document.querySelector('.types').textContent.includes('does not know this token')`)
  })

  it('forgets the token at a new load, keeps the document, and writes nothing into a storage', async () => {
    await insert('{ tags_by_id(id: 1) { id } }')
    await focus('#token')
    await insert('admin')
    await run()
    await page.until(`history.state?.document.includes('tags_by_id')`)
    await page.send('Page.reload')
    await page.until(`document.readyState === 'complete' && document.querySelector('#token')?.value === ''`)
    expect(await written('document')).toBe('{ tags_by_id(id: 1) { id } }')
    expect(
      await page.evaluate(
        `Promise.all([localStorage.length, sessionStorage.length, document.cookie, indexedDB.databases().then((all) => all.length), caches.keys().then((all) => all.length), location.hash, JSON.stringify(history.state).includes('admin')])`,
      ),
    ).toEqual([0, 0, '', 0, 0, '', false])
  })

  it('makes a link of the document and its variables, which runs nothing', async () => {
    await insert('query ($n: Int) { tags(limit: $n) { id } }')
    await focus('#variables textarea')
    await insert('{ "n": 1 }')
    await page.evaluate(
      `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Copy link').click()`,
    )
    const hash = await page.evaluate<string>('location.hash')
    await visit('/graphql')
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await page.until(`document.querySelector('#document textarea').value !== ''`)
    await visit(`/graphql${hash}`)
    expect([await written('document'), await written('variables')]).toEqual([
      'query ($n: Int) { tags(limit: $n) { id } }',
      '{ "n": 1 }',
    ])
    expect(await texts('#answer .json')).toEqual([])
    expect(await run()).toContain('"id": "1"')
  })

  it('works without a schema where introspection is off, and says so', async () => {
    await visit('/closed')
    expect(await text('.types')).toContain('Introspection is off on this server.')
    await insert('{ tags(limit: 1) { id } }')
    expect(await run()).toContain('"id": "1"')
  })

  it('says what the server says where only known documents are answered', async () => {
    await visit('/known')
    expect(await text('.types')).toContain('It says: Only documents that are known are answered')
  })

  it('shows what a server says as text: values, keys, notes, messages', async () => {
    await insert('query ($n: Int = 1) { tags(limit: $n) { name meta } }')
    await focus('#variables textarea')
    await insert(JSON.stringify({ n: hostile }))
    await run()
    expect(await text('#errors .message')).toContain('onerror')
    await page.evaluate(`document.querySelector('#variables textarea').select()`)
    await page.press('Backspace')
    const shown = await run()
    expect(shown).toContain(
      JSON.stringify({ [hostile]: hostile })
        .slice(1, -1)
        .replace('":"', '": "'),
    )
    await click('.types .link')
    expect(await text('.types')).toContain(hostile)
    expect(await page.evaluate('[window.hacked, document.images.length, document.scripts.length]')).toEqual([
      null,
      0,
      1,
    ])
    expect(await page.evaluate('violations')).toEqual([])
  })

  it('completes variables by what the document defines', async () => {
    await insert('query ($filter: tags_filter) { tags(filter: $filter) { id } }')
    await focus('#variables textarea')
    await page.type('{"fi')
    expect(await words()).toEqual(['"filter"'])
    await page.press('Tab')
    await page.type('{"na')
    expect(await words()).toEqual(['"name"'])
    await page.press('Enter')
    expect(await written('variables')).toBe('{"filter": {"name": }}')
  })

  it('says where variables are wrong, and sends nothing', async () => {
    await insert('{ tags { id } }')
    await focus('#variables textarea')
    await insert('{ "n": tru }')
    await page.press('Enter', ['Control'])
    expect(await text('#variables .problem')).toBe('Texts stand in double quotes.')
    expect(await texts('#variables .mark')).toEqual(['tru'])
    expect(await texts('#answer .json')).toEqual([])
  })

  it('runs the operation at the cursor, or the one that is chosen', async () => {
    await insert('query A { a: tags(limit: 1) { id } }\nquery B { b: tags(limit: 1) { id } }')
    expect(await texts('select option')).toEqual(['query A', 'query B'])
    expect(await run()).toContain('"b"')
    await page.evaluate(`document.querySelector('#document textarea').setSelectionRange(3, 3)`)
    await page.until(`document.querySelector('select').value === 'A'`)
    expect(await run()).toContain('"a"')
    await focus('select')
    await page.evaluate(`document.querySelector('select').value = 'B'`)
    expect(await run()).toContain('"b"')
  })

  it('makes a document even, and says what keeps it from that', async () => {
    await insert('{tags(limit:1){id}}')
    await page.press('f', ['Shift', 'Alt'])
    expect(await written('document')).toBe('{\n  tags(limit: 1) {\n    id\n  }\n}\n')
    await insert(' }')
    await page.press('f', ['Shift', 'Alt'])
    expect([await text('#document .problem'), await marks()]).toEqual(['"}" closes nothing here.', ['}']])
  })

  it('stops a request that runs', async () => {
    await insert('{ tags { id } }')
    await focus('#token')
    await insert('slow')
    await page.press('Enter', ['Control'])
    await page.until(`document.querySelector('.run').textContent === 'Stop'`)
    await click('.run')
    await page.until(`document.querySelector('#answer').textContent === 'The request was stopped.'`)
    expect(await text('.run')).toBe('Run')
  })

  it('shows a large answer in parts', async () => {
    await insert('{ tags(limit: -1) { id name } }')
    await run()
    const lines = async () => (await text('#answer pre')).split('\n').length
    const first = await lines()
    expect(first).toBe(1_001)
    await click('#answer button')
    expect(await lines()).toBe(2_001)
    await click('#answer button')
    expect(await lines()).toBe(4 * 601 + 6 + 1)
    expect(await texts('#answer button')).toEqual([])
  })

  it('puts fields from the schema into the document, and finds them', async () => {
    await focus('aside input')
    await insert('tags_by')
    expect((await texts('.types li')).map((one) => one.replace(/^\+/, ''))).toContain('Query.tags_by_id')
    await page.evaluate(`document.querySelector('aside input').select()`)
    await page.press('Backspace')
    await click('.insert[aria-label="Insert tags"]')
    expect(await written('document')).toBe('{\n  tags {\n    id\n    name\n    meta\n  }\n}')
  })

  it('fits on a narrow screen', async () => {
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 360,
      height: 700,
      deviceScaleFactor: 1,
      mobile: true,
    })
    try {
      await visit('/graphql')
      expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true)
      expect(await page.evaluate(`document.querySelector('aside').checkVisibility()`)).toBe(false)
      await click('header button')
      expect(await page.evaluate(`document.querySelector('aside').checkVisibility()`)).toBe(true)
    } finally {
      await page.send('Emulation.setDeviceMetricsOverride', {
        width: 1400,
        height: 800,
        deviceScaleFactor: 1,
        mobile: false,
      })
    }
  })
})
