// Lines of an answer that is read as it comes.

import type { Client } from './connect.ts'
import { connectionOf, limitOf, reached } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { inTime } from './time-limit.ts'

/** Yields the lines of an answer; what breaks off throws. A reader that leaves closes the connection. */
export async function* linesOf(
  client: Client,
  { body }: Response,
  options: RequestOptions,
): AsyncGenerator<string, void, undefined> {
  const limit = limitOf(connectionOf(client), options)
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (reader) {
      const { done, value } = await inTime(limit, {}, () => reached(reader.read(), { isRead: true }))
      // A line may come in many parts, of which each is looked at once.
      const [first = '', ...lines] = decoder.decode(value, { stream: !done }).split('\n')
      lines.unshift(rest + first)
      rest = lines.pop() ?? ''
      yield* lines
      if (done) break
    }
  } finally {
    // A stream that has failed refuses to be left, and its error was thrown above.
    void reader?.cancel().catch(() => undefined)
  }
  if (rest !== '') yield rest
}
