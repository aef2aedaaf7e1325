// A page in a Chromium of its own that a test drives: it types, clicks, looks and takes pictures. It comes from Debian's package `chromium`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { flags, removeProfile } from './chromium.ts'

export interface ChromiumPage {
  /** Opens an address, and waits until it has loaded. */
  open(address: string): Promise<void>
  evaluate<Value>(expression: string): Promise<Value>
  /** Waits until an expression in the page is true, and returns its value. */
  until<Value>(expression: string): Promise<Value>
  type(text: string): Promise<void>
  /** Presses a key by its name, such as `Enter`, with what else is pressed. */
  press(key: string, modifiers?: readonly Modifier[]): Promise<void>
  /** Sends a command of the protocol. */
  send(method: string, parameters?: object): Promise<unknown>
  /** Returns a picture as PNG. */
  picture(): Promise<Buffer>
  /** What the page has written to its console, violations of its policy and errors among them. */
  readonly messages: readonly string[]
  close(): Promise<void>
}

export type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift'

/** Starts the browser with an empty page.
 *  @example const page = await openChromiumPage() */
export async function openChromiumPage(): Promise<ChromiumPage> {
  const profile = mkdtempSync(join(tmpdir(), 'quernel-chromium-'))
  const browser = spawn('chromium', [...flags, `--user-data-dir=${profile}`, '--remote-debugging-pipe'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  await once(browser, 'spawn').catch(async (cause: unknown) => {
    await removeProfile(profile)
    throw new Error('There is no Chromium: apt-get install -y chromium', { cause })
  })
  const ended = once(browser, 'exit')
  const [, , , commands, events] = browser.stdio as unknown as [null, null, null, Writable, Readable] // as it was spawned
  const { command, messages } = protocol(commands, events)
  const { targetId } = await command<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await command<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  const send = <Result>(method: string, parameters: object = {}) =>
    command<Result>(method, parameters, sessionId)
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`)

  const evaluate = async <Value>(expression: string): Promise<Value> => {
    const { result, exceptionDetails } = await send<Evaluated<Value>>('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`)
    return result.value
  }
  const until = async <Value>(expression: string): Promise<Value> => {
    for (let tries = 0; tries < 400; tries++) {
      const value = await evaluate<Value>(expression)
      if (value) return value
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`It never became true: ${expression}`)
  }
  const press = async (key: string, modifiers: readonly Modifier[] = []): Promise<void> => {
    const bits = modifiers.reduce((sum, one) => sum + modifierBits[one], 0)
    const keyCode = keyCodes[key] ?? key.toUpperCase().charCodeAt(0)
    const text = bits & ~modifierBits.Shift ? undefined : (texts[key] ?? (key.length === 1 ? key : undefined))
    const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key
    const pressed = { key, code, windowsVirtualKeyCode: keyCode, modifiers: bits }
    await send('Input.dispatchKeyEvent', {
      type: text === undefined ? 'rawKeyDown' : 'keyDown',
      text,
      ...pressed,
    })
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed })
  }
  return {
    evaluate,
    until,
    press,
    send,
    messages,
    open: async (address) => {
      await send('Page.navigate', { url: address })
      await until(
        `location.href.startsWith(${JSON.stringify(address)}) && document.readyState === 'complete'`,
      )
    },
    type: async (text) => {
      for (const letter of text) await press(letter === '\n' ? 'Enter' : letter)
    },
    picture: async () => Buffer.from((await send<{ data: string }>('Page.captureScreenshot')).data, 'base64'),
    close: async () => {
      // It may have ended before its answer arrives.
      void command('Browser.close')
      await ended
      await removeProfile(profile)
    },
  }
}

interface Evaluated<Value> {
  readonly result: { readonly value: Value }
  readonly exceptionDetails?: unknown
}

const modifierBits = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const satisfies Record<Modifier, number>

const texts: Readonly<Record<string, string>> = { Enter: '\r' }

const keyCodes: Readonly<Record<string, number>> = {
  ...{ Backspace: 8, Tab: 9, Enter: 13, Escape: 27, ' ': 32 },
  ...{
    ArrowLeft: 37,
    ArrowUp: 38,
    ArrowRight: 39,
    ArrowDown: 40,
    Home: 36,
    End: 35,
    '(': 57,
    '.': 190,
    $: 52,
    "'": 222,
  },
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly error?: unknown
  readonly params?: unknown
}

/** The protocol of the browser over two pipes: messages of JSON, each with a zero behind it. */
function protocol(commands: Writable, events: Readable) {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  const messages: string[] = []
  let text = ''
  const take = ({ id, method, result, error, params }: Message): void => {
    const asked = id === undefined ? undefined : waiting.get(id)
    if (id !== undefined) waiting.delete(id)
    if (error) asked?.reject(new Error(JSON.stringify(error)))
    // Whoever has asked knows what is answered.
    else asked?.resolve(result as never)
    if (/^(Runtime\.(consoleAPICalled|exceptionThrown)|Log\.entryAdded)$/.test(method ?? ''))
      messages.push(JSON.stringify(params))
  }
  events.setEncoding('utf8').on('data', (data: string) => {
    const parts = (text + data).split('\0')
    text = parts.pop() ?? ''
    for (const part of parts) take(JSON.parse(part))
  })
  const command = <Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> =>
    new Promise((resolve, reject) => {
      const id = commandIds++
      waiting.set(id, { resolve, reject })
      commands.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  return { command, messages }
}

let commandIds = 1
