// Reports errors that are not the caller's: to `onError` of the host, else to the console.
import { attempt, warn } from '../execution/report-errors.ts'
import { splitUrl } from './addresses.ts'
import type { HandlerOptions } from './handler-options.ts'
import type { RequestHead } from './messages.ts'

/** Returns what reports the errors of a request. Without `onError` the first of them is printed: a GraphQL request may have one per field. */
export function errorReporter(
  options: Pick<HandlerOptions, 'onError'>,
  head: RequestHead,
  request: () => Request,
): (error: unknown) => void {
  // A client that has left breaks off what was done for it, which is no error.
  const reportAny = anyErrorReporter(options, head, request)
  return (error) => {
    if (!head.signal.aborted) reportAny(error)
  }
}

/** Returns what reports the errors of a request, also if its client has left. */
export function anyErrorReporter(
  { onError }: Pick<HandlerOptions, 'onError'>,
  head: RequestHead,
  request: () => Request,
): (error: unknown) => void {
  let isPrinted = false
  return (error) => {
    // The client gets its response even if the host's callback fails.
    if (onError) return void attempt(() => onError(error, request()), undefined, warn)
    if (!isPrinted) printError(error, head)
    isPrinted = true
  }
}

/** Prints an error with its cause. The query string is left out: it may hold values that are no business of a log. */
export function printError(error: unknown, { method, url }: Pick<RequestHead, 'method' | 'url'>): void {
  // biome-ignore lint/suspicious/noConsole: without an option for errors, the host would never see them
  console.error(`${method} ${splitUrl(url).path.slice(0, longestPath)}:`, error)
}

const longestPath = 200
