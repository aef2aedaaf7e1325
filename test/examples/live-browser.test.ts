// The live page of the example in a real browser, in two windows: `npm run test:browser`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { builtPrograms } from '../support/built.ts'
import { type ChromiumPage, openChromiumPage } from '../support/chromium-page.ts'

const programOf = builtPrograms({ express: 'examples/express/server.ts' })

let server: ChildProcess | undefined
let address = ''
const windows: ChromiumPage[] = []

async function start(port: number): Promise<void> {
  const { DATABASE_URL: _own, ...environment } = process.env
  server = spawn(process.execPath, [programOf('express')], {
    env: { ...environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(server.stdout ?? server, 'data')
}

async function stop(): Promise<void> {
  if (server?.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

beforeAll(async () => {
  const probe = createServer().listen(0)
  await once(probe, 'listening')
  const port = Object(probe.address()).port
  probe.close()
  await once(probe, 'close')
  await start(port)
  address = `http://localhost:${port}/live`
  for (let at = 0; at < 2; at++) {
    const page = await openChromiumPage()
    windows.push(page)
    await page.open(address)
    await page.until(`document.querySelector('#state').className === 'live'`)
    await page.until(
      `document.querySelectorAll('li').length > 2 && document.querySelectorAll('[name=article] option').length > 2`,
    )
  }
}, 60_000)

afterAll(async () => {
  for (const page of windows) await page.close()
  await stop()
})

const pair = (): readonly [ChromiumPage, ChromiumPage] => {
  const [one, other] = windows
  if (!one || !other) throw new Error('There are not two windows.')
  return [one, other]
}

/** Writes a comment as somebody does: chooses who it is, types, and presses the button. */
async function send(page: ChromiumPage, who: string, text: string): Promise<void> {
  await page.evaluate(`document.querySelector('[name=who]').value = ${JSON.stringify(who)}`)
  await page.evaluate(`document.querySelector('[name=body]').focus()`)
  await page.type(text)
  await page.evaluate(`document.querySelector('button').click()`)
}

const firstIs = (text: string) => `document.querySelector('li span')?.textContent === ${JSON.stringify(text)}`

it('what one window sends, both show, whoever sends it', async () => {
  const [one, other] = pair()
  await send(one, 'ada', 'from one')
  for (const page of pair()) {
    await page.until(firstIs('from one'))
    expect(await page.evaluate(`document.querySelectorAll('li.new').length`)).toBe(1)
  }
  await send(other, 'grace', 'and from the other <b>')
  for (const page of pair()) await page.until(firstIs('and from the other <b>'))
  expect(await one.evaluate(`document.querySelector('li cite').textContent`)).toMatch(/^Grace Hopper on /)
  const texts = `[...document.querySelectorAll('li')].map(({ textContent }) => textContent)`
  expect(await one.evaluate(texts)).toEqual(await other.evaluate(texts))
  expect(await one.evaluate(`document.querySelector('[name=body]').value`)).toBe('')
})

it('a visitor is told that they may only read, and nobody is shown anything', async () => {
  const [one, other] = pair()
  await send(one, '', 'not allowed')
  expect(await one.until(`document.querySelector('output').textContent`)).toMatch(/allowed|may not/)
  expect(await other.evaluate(firstIs('not allowed'))).toBe(false)
  await one.evaluate(`document.querySelector('[name=body]').value = ''`)
})

it('a server that is killed is come back to, and the windows show what is there', async () => {
  const [one, other] = pair()
  await stop()
  await one.until(`document.querySelector('#state').textContent === 'coming back'`)
  await start(Number(new URL(address).port))
  for (const page of pair()) {
    await page.until(`document.querySelector('#state').className === 'live'`)
    // Its database was in memory: what was sent is gone.
    await page.until(`!document.querySelector('ol').textContent.includes('from one')`)
  }
  await send(other, 'ada', 'again')
  for (const page of pair()) await page.until(firstIs('again'))
})

it.each([360, 768, 1280])('fits a window of %i pixels', async (width) => {
  const [page] = pair()
  await page.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height: 900, deviceScaleFactor: 1, mobile: width < 500 },
  })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
})
