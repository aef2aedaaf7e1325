import { failure } from '../errors/errors.ts'
import type { Client } from './connect.ts'
import { unreached } from './failures.ts'
import { limitOf } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { inTime } from './time-limit.ts'

/** Letters of a line. Something that is no server of ours may never end one. */
const longestLine = 2 ** 26

/** Yields the lines of an answer; what breaks off throws. A reader that leaves closes the connection. */
export async function* linesOf(
  api: Client,
  { body }: Response,
  options?: RequestOptions,
): AsyncGenerator<string, void, undefined> {
  const limit = limitOf(api, options)
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (reader) {
      const read = async () => reader.read().catch((cause: unknown) => Promise.reject(unreached(cause)))
      const { done, value } = await inTime(limit, {}, read)
      // A line may come in many parts, of which each is looked at once.
      const [first = '', ...lines] = decoder.decode(value, { stream: !done }).split('\n')
      lines.unshift(rest + first)
      rest = lines.pop() ?? ''
      yield* lines
      if (rest.length > longestLine)
        throw failure('CONTENT_TOO_LARGE', 'A line is longer than 64 MB.', { status: 413 })
      if (done) break
    }
  } finally {
    // A stream that has failed refuses to be left, and its error was thrown above.
    void reader?.cancel().catch(() => undefined)
  }
  if (rest) yield rest
}
