// The end of the tutorial in a real browser: what one window creates and drags, the other shows. `npm run test:browser`.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBoardProject } from '../support/board-project.ts'
import { type ChromiumPage, openChromiumPage } from '../support/chromium-page.ts'
import { readTutorial } from './tutorial.ts'

const board = openBoardProject()
const windows: ChromiumPage[] = []

beforeAll(async () => {
  const { steps } = await readTutorial()
  board.write(steps.at(-1)?.files ?? new Map())
  const address = await board.start({ DATABASE: ':memory:' })
  for (const name of ['ada', 'grace']) {
    const page = await openChromiumPage()
    windows.push(page)
    await page.send('Emulation.setTouchEmulationEnabled', { enabled: true })
    await page.open(`${address}/#${name}`)
    await page.until(`document.querySelector('p').textContent === 'live'`)
  }
})

afterAll(async () => {
  for (const page of windows) await page.close()
})

const pair = (): readonly [ChromiumPage, ChromiumPage] => {
  const [ada, grace] = windows
  if (!ada || !grace) throw new Error('There are not two windows.')
  return [ada, grace]
}

async function add(page: ChromiumPage, title: string): Promise<void> {
  await page.evaluate(`document.querySelector('input').focus()`)
  await page.type(title)
  await page.press('Enter')
  await page.until(`document.querySelector('input').value === ''`)
}

const columns = `JSON.stringify(Object.fromEntries([...document.querySelectorAll('ol')].map((column) =>
  [column.id, [...column.children].map(({ textContent }) => textContent)])))`

const shows = (cards: Readonly<Record<'todo' | 'doing' | 'done', readonly string[]>>) =>
  `${columns} === ${JSON.stringify(JSON.stringify(cards))}`

interface Point {
  readonly x: number
  readonly y: number
}

type Pointer = (page: ChromiumPage, way: 'down' | 'move' | 'up', point: Point) => Promise<unknown>

const mouseWith =
  (button: 'left' | 'right'): Pointer =>
  (page, way, point) => {
    const type = { down: 'mousePressed', move: 'mouseMoved', up: 'mouseReleased' }[way]
    const buttons = button === 'left' ? 1 : 2
    return page.send('Input.dispatchMouseEvent', { type, ...point, button, buttons, clickCount: 1 })
  }

const finger: Pointer = (page, way, point) => {
  const type = { down: 'touchStart', move: 'touchMove', up: 'touchEnd' }[way]
  return page.send('Input.dispatchTouchEvent', { type, touchPoints: way === 'up' ? [] : [point] })
}

/** Drags a card onto what a selector finds. */
async function drag(
  page: ChromiumPage,
  title: string,
  selector: string,
  pointer = mouseWith('left'),
): Promise<void> {
  const middleOf = (element: string) =>
    page.evaluate<Point>(`(() => { const { x, y, width, height } = ${element}.getBoundingClientRect()
      return { x: x + width / 2, y: y + height / 2 } })()`)
  const from = await middleOf(
    `[...document.querySelectorAll('li')].find(({ textContent }) => textContent === ${JSON.stringify(title)})`,
  )
  const to = await middleOf(`document.querySelector(${JSON.stringify(selector)})`)
  await pointer(page, 'down', from)
  await pointer(page, 'move', { x: from.x + 9, y: from.y + 9 })
  await pointer(page, 'move', to)
  await pointer(page, 'up', to)
}

it('what one window adds, both show', async () => {
  const [ada, grace] = pair()
  const todo: string[] = []
  for (const [page, title] of [
    [ada, 'Paint'],
    [grace, 'Write <b>'],
    [ada, 'Cook'],
  ] as const) {
    await add(page, title)
    todo.push(title)
    // A card gets its place below those that its window shows.
    for (const one of pair()) await one.until(shows({ todo, doing: [], done: [] }))
  }
  expect(await grace.evaluate(`document.querySelector('li').title`)).toBe('Ada')
})

it('what one window drags, both show, in its new order', async () => {
  const [ada, grace] = pair()
  await drag(grace, 'Cook', '#todo li:nth-child(2)')
  for (const page of pair())
    await page.until(shows({ todo: ['Paint', 'Cook', 'Write <b>'], doing: [], done: [] }))
  await drag(ada, 'Cook', '#todo li:nth-child(1)')
  for (const page of pair())
    await page.until(shows({ todo: ['Cook', 'Paint', 'Write <b>'], doing: [], done: [] }))
  await drag(ada, 'Paint', '#doing')
  for (const page of pair())
    await page.until(shows({ todo: ['Cook', 'Write <b>'], doing: ['Paint'], done: [] }))
})

it('a finger drags as a mouse does; neither a tap nor the right button moves anything', async () => {
  const [ada] = pair()
  await drag(ada, 'Cook', '#doing', mouseWith('right'))
  await drag(ada, 'Paint', '#todo', finger)
  for (const page of pair())
    await page.until(shows({ todo: ['Cook', 'Write <b>', 'Paint'], doing: [], done: [] }))
  await drag(ada, 'Cook', '#todo li:nth-child(1)', finger)
  await drag(ada, 'Paint', '#doing', finger)
  for (const page of pair())
    await page.until(shows({ todo: ['Cook', 'Write <b>'], doing: ['Paint'], done: [] }))
})

it('the channel says what is new, once, and a card is done where it is dropped', async () => {
  const [ada, grace] = pair()
  for (const page of pair())
    await page.until(
      `document.querySelector('#messages').textContent === 'New: Cook\\nNew: Write <b>\\nNew: Paint'`,
    )
  await drag(ada, 'Paint', '#done')
  await drag(grace, 'Cook', '#done')
  for (const page of pair())
    await page.until(shows({ todo: ['Write <b>'], doing: [], done: ['Paint', 'Cook'] }))
  await add(grace, 'Clean')
  for (const page of pair())
    await page.until(
      `document.querySelector('#messages').textContent === 'New: Clean\\nNew: Cook\\nNew: Write <b>\\nNew: Paint'`,
    )
})

it('says what is refused', async () => {
  const [ada] = pair()
  await ada.evaluate(`document.querySelector('input').removeAttribute('required')`)
  await ada.evaluate(`document.querySelector('input').maxLength = 1000`)
  await ada.evaluate(`document.querySelector('input').value = 'x'.repeat(300)`)
  await ada.evaluate(`document.querySelector('button').click()`)
  expect(
    await ada.until(
      `document.querySelector('p').textContent.includes('200') && document.querySelector('p').textContent`,
    ),
  ).toMatch(/200/)
})

it('writes nothing to the console', () => {
  for (const page of pair())
    expect(page.messages.filter((text) => !text.includes('favicon') && !text.includes('400'))).toEqual([])
})
