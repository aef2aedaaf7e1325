// A client of server-sent events, written from their standard: what a browser's EventSource hears.

/** An event, with the id that a client would come back with. */
export interface HeardEvent {
  readonly event: string
  readonly data: unknown
  readonly lastEventId: string
}

export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''
  lastEventId = ''
  /** Milliseconds after which the client is to come again. */
  retry: number | undefined
  /** Number of comments. */
  comments = 0

  constructor({ body }: Response) {
    if (!body) throw new Error('There is no stream.')
    this.#reader = body.getReader()
  }

  async next(): Promise<HeardEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end < 0) {
        const { done, value } = await this.#reader.read()
        if (done) return undefined
        this.#text += this.#decoder.decode(value, { stream: true })
        continue
      }
      const block = this.#text.slice(0, end)
      this.#text = this.#text.slice(end + 2)
      const event = this.#read(block)
      if (event) return event
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }

  #read(block: string): HeardEvent | undefined {
    let [event, data] = ['message', '']
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments += 1
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
      if (name === 'event') event = value
      if (name === 'data') data += value
      if (name === 'id') this.lastEventId = value
      if (name === 'retry') this.retry = Number(value)
    }
    return data === '' ? undefined : { event, data: JSON.parse(data), lastEventId: this.lastEventId }
  }
}
