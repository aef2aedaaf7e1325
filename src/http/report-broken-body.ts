/** Returns a body that reports to the host if it breaks off. The client has its status already, so any error counts. */
export function reportBrokenBody(
  body: ReadableStream<Uint8Array>,
  report: (error: unknown) => void,
): typeof body {
  const reader = body.getReader()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    } catch (error) {
      report(error)
      controller.error(error)
    }
  }
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}
