// Sends the chunks of a body to a response of Node, one after another.
import type { ServerResponse } from 'node:http'
import { onAbort } from '../../errors/abort-signal.ts'
import { type OutgoingChunks, onBrokenOff } from '../../storage/outgoing-bytes.ts'

/** Sends a body whose headers are written, each chunk when the client has taken the one before. A small file is one write, together with its
 *  headers. A body that breaks off closes the connection, so that it does not look complete. */
export async function sendChunks(
  { next, cancel, whole }: OutgoingChunks,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  // Its failure is reported where the next chunk is written.
  response.on('error', () => undefined)
  // A client that reads nothing may wait for what does not come.
  onBrokenOff({ whole }, () => response.destroy())
  // A read for a client that has left is ended at once, and not when its chunk comes.
  const stopListening = onAbort(gone, () => void cancel(gone.reason).catch(() => undefined))
  try {
    for (let isOver = false; !isOver; ) {
      const { chunk, isLast } = await next()
      if (gone.aborted || response.destroyed) return
      isOver = isLast
      if (isLast) response.end(chunk)
      else if (chunk && !response.write(chunk)) await drained(response, gone)
      if (gone.aborted || response.destroyed) return
    }
  } catch {
    // The chunks report by themselves that they broke off.
    response.destroy()
  } finally {
    stopListening()
  }
}

/** Waits until the client has taken what was written, or has left. */
function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopListening()
      response.off('drain', end)
      resolve()
    }
    const stopListening = onAbort(gone, end)
    response.once('drain', end)
  })
}
