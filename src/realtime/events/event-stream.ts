// The stream of a list that is watched: one event for each message, and a comment where nothing happens.

import { errorResponse } from '../../http/error-response.ts'
import type { Portion } from '../../storage/outgoing-bytes.ts'
import type { FeedMessage } from '../messages.ts'
import { later } from '../timers.ts'
import type { WatchedItems } from '../watch-items.ts'
import { changesText, itemsText } from '../wire/item-text.ts'
import { readingOf } from '../wire/message-rights.ts'
import type { Events } from './open-events.ts'

/** Milliseconds after which a comment says that somebody is there. */
const quietMs = 15_000

/** Milliseconds in which a stream is read on, else it is broken off. */
const blockedMs = 30_000

/** Bytes that are handed over at a time. What is longer is read as long as each part of it is. */
const mostAtOnce = 256 * 1024

/** Returns the stream of a list that is watched. */
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

type NextMessage = IteratorResult<FeedMessage, undefined>

class EventStream {
  readonly #watched: WatchedItems<unknown>
  readonly #leave: () => void
  readonly #report: (error: unknown) => void
  /** The message that is waited for. */
  #coming: Promise<NextMessage> | undefined
  #isBegun = false
  /** Rest of the event that is being sent, and the message that it holds. */
  #rest = new Uint8Array()
  #telling: FeedMessage | undefined
  isBroken = false
  #breakOff: (reason: unknown) => void = () => {}
  #isOver = false
  #stopBlocked: (() => void) | undefined

  constructor({ watched, first, leave }: Events, report: (error: unknown) => void) {
    this.#watched = watched
    this.#leave = leave
    this.#report = report
    this.#coming = Promise.resolve(first ? { done: false, value: first } : { done: true, value: undefined })
  }

  /** Begins. `breakOff`: called when nobody reads on. */
  begin(breakOff: (reason: unknown) => void): void {
    this.#breakOff = breakOff
    this.#awaitReader()
  }

  async next(): Promise<Portion> {
    this.#stopBlocked?.()
    if (this.#isOver) return last
    if (this.#rest.length === 0) this.#rest = utf8.encode(await this.#text())
    // A part of an event is none: clients leave it out, and come again.
    else if (this.#telling && !(await mayTell(this.#telling))) await this.end()
    const chunk = this.#rest.subarray(0, mostAtOnce)
    this.#rest = this.#rest.subarray(mostAtOnce)
    const isLast = this.#isOver && this.#rest.length === 0
    if (isLast) this.#leave()
    else this.#awaitReader()
    return { chunk: chunk.length > 0 ? chunk : undefined, isLast }
  }

  async end(): Promise<void> {
    this.#isOver = true
    this.#rest = new Uint8Array()
    this.#stopBlocked?.()
    this.#leave()
    await this.#watched.return()
  }

  /** Breaks off what nobody reads, with its connection: its client comes again, and goes on by its token. */
  #awaitReader(): void {
    this.#stopBlocked = later(blockedMs, () => {
      this.isBroken = true
      this.#breakOff(unread)
      void this.end()
    })
  }

  /** Returns the text of the next event; an empty one at the end. */
  async #text(): Promise<string> {
    this.#telling = undefined
    if (!this.#isBegun) {
      this.#isBegun = true
      return beginning()
    }
    try {
      for (;;) {
        this.#coming ??= this.#watched.next()
        const coming = await within(quietMs, this.#coming)
        if (!coming) return quiet
        this.#coming = undefined
        if (coming.done) break
        this.#telling = coming.value
        if (await mayTell(coming.value)) return eventText(coming.value)
      }
      this.#isOver = true
      return ''
    } catch (error) {
      this.#isOver = true
      const { status, body } = errorResponse(error)
      if (status === 500) this.#report(error)
      return event('failed', body)
    }
  }
}

/** False for a message that was read by rights which the caller has no more: the list begins anew. */
async function mayTell(message: FeedMessage): Promise<boolean> {
  if (message.kind === 'reset') return true
  const { holds, drop } = readingOf(message)
  const isHeld = await holds()
  if (!isHeld) drop()
  return isHeld
}

const utf8 = new TextEncoder()
/** Why a stream is broken off. It is no error of the host. */
const unread = new DOMException('Nobody has read this stream for 30 s.', 'AbortError')
const last: Portion = { chunk: undefined, isLast: true }

/** Returns what is awaited; undefined if it does not come in time. */
async function within<Result>(milliseconds: number, coming: Promise<Result>): Promise<Result | undefined> {
  let forget: (() => void) | undefined
  const silence = new Promise<undefined>((resolve) => {
    forget = later(milliseconds, () => resolve(undefined))
  })
  try {
    return await Promise.race([coming, silence])
  } finally {
    forget?.()
  }
}

/** A comment, which clients leave out. */
const quiet = ':\n\n'

/** The first line: clients come again after about two seconds, and not all in the same moment. */
const beginning = (): string => `retry: ${Math.round(1_500 + 1_000 * Math.random())}\n\n`

/** Returns the event of a message. Its id is the token, by which a browser goes on by itself. After a reset there is nothing to go on from. */
function eventText(message: FeedMessage): string {
  if (message.kind === 'reset') return event('reset', JSON.stringify({ reason: message.reason }), '')
  if (message.kind === 'changes') return event('changes', `{${changesText(message)}}`, message.token)
  const ids = message.ids ? `,"ids":${JSON.stringify(message.ids)}` : ''
  return event('snapshot', `{"items":${itemsText(message.items)}${ids}}`, message.token)
}

const event = (name: string, data: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`
