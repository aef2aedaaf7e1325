// Bodies that may break off when the client has their status already.
import { chunksRead, type OutgoingChunks, onBrokenOff } from '../storage/outgoing-bytes.ts'

/** Returns the chunks of a body, which reports to the host if it breaks off, or cannot be cancelled for a client that has left. The client has
 *  its status already, so any error counts. */
export function reportBrokenBody(
  body: ReadableStream<Uint8Array> | OutgoingChunks,
  report: (error: unknown) => void,
  reportUncancelled: (error: unknown) => void,
): OutgoingChunks {
  const { next, cancel, whole } = 'next' in body ? body : chunksRead(body)
  return {
    next: () =>
      next().catch((error: unknown) => {
        report(error)
        throw error
      }),
    cancel: (reason) =>
      cancel(reason).catch((error: unknown) => {
        if (isFailedCancel(error, reason)) reportUncancelled(error)
        throw error
      }),
    whole,
  }
}

/** True for the error of a body that could not be cancelled. One that was broken off says so, which is no failure. */
export const isFailedCancel = (error: unknown, reason: unknown): boolean =>
  error !== reason && !(error instanceof Error && error.name === 'AbortError')

/** Returns a stream of such chunks, each of which is read on demand. */
export function streamOfReply({ next, cancel, whole }: OutgoingChunks): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { chunk, isLast } = await next()
    if (chunk) controller.enqueue(chunk)
    if (isLast) controller.close()
  }
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) =>
    onBrokenOff({ whole }, (error) => controller.error(error))
  return new ReadableStream({ start, pull, cancel }, { highWaterMark: 0 })
}
