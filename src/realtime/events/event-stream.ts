// The stream of a list that is watched: one event for each message, and a comment where nothing happens.

import { errorResponse } from '../../http/error-response.ts'
import type { Portion } from '../../storage/outgoing-bytes.ts'
import { maxAtOnce, maxBlockedMs } from '../bytes/unsent-bytes.ts'
import type { FeedMessage, SnapshotMessage } from '../messages.ts'
import { later, within } from '../timers.ts'
import { changesText, itemTexts } from '../wire/item-text.ts'
import { readingOf } from '../wire/message-rights.ts'
import type { Events, NextMessage } from './live-request.ts'

/** Milliseconds after which a comment shows that the stream is alive. */
const quietMs = 15_000

/** Signs that are handed over at a time: no more than 256 KiB. What is longer is read as long as each part of it is. */
const maxSigns = Math.floor(maxAtOnce / 3)

export function eventStream(events: Events, report: (error: unknown) => void): ReadableStream<Uint8Array> {
  const stream = new EventStream(events, report)
  return new ReadableStream(
    {
      start: (controller) => stream.begin((error) => controller.error(error)),
      async pull(controller) {
        const { chunk, isLast } = await stream.next()
        if (stream.isBroken) return
        if (chunk) controller.enqueue(chunk)
        if (isLast) controller.close()
      },
      cancel: () => stream.end(),
    },
    { highWaterMark: 0 },
  )
}

class EventStream {
  readonly #events: Events
  readonly #report: (error: unknown) => void
  #coming: Promise<NextMessage> | undefined
  #isBegun = false
  /** Rest of the event that is being sent, and the message that it holds. */
  #rest: Iterator<Uint8Array, undefined> | undefined
  #sending: FeedMessage | undefined
  isBroken = false
  #isOver = false
  #stopBlocked: (() => void) | undefined

  constructor(events: Events, report: (error: unknown) => void) {
    this.#events = events
    this.#report = report
    this.#coming = events.coming
  }

  /** Begins. `breakOff`: called when the client no longer reads. */
  begin(breakOff: (reason: unknown) => void): void {
    // Its client comes again, and goes on by its token.
    this.#events.rights.breakOff = () => {
      this.isBroken = true
      breakOff(unread)
      void this.end()
    }
    this.#awaitReader()
  }

  async next(): Promise<Portion> {
    this.#stopBlocked?.()
    if (this.#isOver) return last
    let chunk = this.#rest?.next().value
    if (!chunk) {
      this.#rest = portionsOf(await this.#texts())
      chunk = this.#rest.next().value
      // A part of an event is none: clients leave it out, and come again.
    } else if (this.#sending && !(await maySend(this.#sending))) await this.end()
    // The last event is short.
    const isLast = this.#isOver
    if (isLast) this.#events.leave()
    else this.#awaitReader()
    return { chunk: this.#rest ? chunk : undefined, isLast }
  }

  async end(): Promise<void> {
    this.#isOver = true
    this.#rest = undefined
    this.#stopBlocked?.()
    this.#events.leave()
    await this.#events.watched.return()
  }

  /** Breaks off a stream that is not read, with its connection. */
  #awaitReader(): void {
    this.#stopBlocked = later(maxBlockedMs, () => this.#events.rights.breakOff?.())
  }

  /** Returns the next event, in one text or many; none at the end. */
  async #texts(): Promise<Iterable<string>> {
    this.#sending = undefined
    if (!this.#isBegun) {
      this.#isBegun = true
      return [this.#events.isSame ? `${beginning()}\n` : beginning()]
    }
    try {
      for (;;) {
        this.#coming ??= this.#events.watched.next()
        const coming = await within(quietMs, this.#coming)
        if (!coming) return [quiet]
        this.#coming = undefined
        if (coming.done) break
        this.#sending = coming.value
        if (await maySend(coming.value)) return eventTexts(coming.value)
      }
      this.#isOver = true
      return []
    } catch (error) {
      this.#isOver = true
      const { status, body } = errorResponse(error)
      if (status === 500) this.#report(error)
      return [event('failed', body)]
    }
  }
}

/** False for a message that was read by rights which the caller has no more: the list begins anew. */
async function maySend(message: FeedMessage): Promise<boolean> {
  if (message.kind === 'reset') return true
  const { holds, drop } = readingOf(message)
  const isHeld = await holds()
  if (!isHeld) drop()
  return isHeld
}

const utf8 = new TextEncoder()

/** Returns texts as the bytes that are handed over at a time. */
function* portionsOf(texts: Iterable<string>): Generator<Uint8Array, undefined> {
  let text = ''
  for (const more of texts) {
    text += more
    while (text.length > maxSigns) {
      // A sign of two units is not cut.
      const end = /[\ud800-\udbff]/.test(text.charAt(maxSigns - 1)) ? maxSigns - 1 : maxSigns
      yield utf8.encode(text.slice(0, end))
      text = text.slice(end)
    }
  }
  if (text.length > 0) yield utf8.encode(text)
  return undefined
}

/** Why a stream is broken off. It is no error of the host. */
const unread = new DOMException('This stream was not read for 30 s.', 'AbortError')
const last: Portion = { chunk: undefined, isLast: true }

/** A comment, which clients leave out. */
const quiet = ':\n\n'

/** The first line: clients come again after about two seconds, and not all in the same moment. It is one of the first event: alone it says that
 *  a list is as it was. */
const beginning = (): string => `retry: ${Math.round(1_500 + 1_000 * Math.random())}\n`

/** Returns the event of a message. Its id is the token, by which a browser goes on by itself. After a reset there is nothing to go on from. */
function eventTexts(message: FeedMessage): Iterable<string> {
  if (message.kind === 'reset') return [event('reset', JSON.stringify({ reason: message.reason }), '')]
  if (message.kind === 'changes') return [event('changes', `{${changesText(message)}}`, message.token)]
  return snapshotTexts(message)
}

/** A long list is no text as a whole: it is in memory already. */
function* snapshotTexts({ items, ids, token }: SnapshotMessage): Generator<string> {
  yield `${beginningOf('snapshot', token)}{"items":`
  yield* itemTexts(items)
  yield `${ids ? `,"ids":${JSON.stringify(ids)}` : ''}}\n\n`
}

const event = (name: string, data: string, id?: string): string => `${beginningOf(name, id)}${data}\n\n`

const beginningOf = (name: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: `
