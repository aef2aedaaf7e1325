// Requests that report their progress, which no `fetch` of a browser does.

/** How far an upload is, in bytes. */
export interface UploadProgress {
  readonly sent: number
  /** With the frame of the form around the files. */
  readonly total: number
}

/** Returns a `fetch` that reports its progress. Where there is no XMLHttpRequest, it reports the end alone. */
export const withProgress =
  (send: typeof fetch, report: (progress: UploadProgress) => void): typeof fetch =>
  async (url, init) => {
    // The signal may have been aborted while the token came.
    init?.signal?.throwIfAborted()
    const { XMLHttpRequest: Made } = globalThis as { readonly XMLHttpRequest?: new () => BrowserRequest }
    if (Made) return sendBy(new Made(), String(url), { ...init }, report)
    const { size } = await new Response(init?.body).blob()
    const response = await send(url, init)
    report({ sent: size, total: size })
    return response
  }

/** The part of an XMLHttpRequest that is used. */
interface BrowserRequest {
  readonly status: number
  readonly responseURL: string
  readonly responseText: string
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null }
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body: FormData): void
  abort(): void
}

function sendBy(
  request: BrowserRequest,
  url: string,
  { method = 'POST', headers, body, signal }: RequestInit,
  report: (progress: UploadProgress) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.open(method, url)
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => report({ sent: loaded, total })
    const lost = (why: string) => reject(new DOMException(why, 'NetworkError'))
    request.onload = () => {
      // Behind a redirect, the write has arrived elsewhere or as a read.
      if (request.responseURL && request.responseURL !== new URL(url).href)
        return lost('The request was redirected.')
      const { status, responseText } = request
      const type = request.getResponseHeader('content-type')
      const retryAfter = request.getResponseHeader('retry-after')
      const shown = {
        ...(type && { 'content-type': type }),
        ...(retryAfter && { 'retry-after': retryAfter }),
      }
      resolve(new Response(status === 204 ? null : responseText, { status, headers: shown }))
    }
    request.onerror = () => lost('The request failed.')
    request.onabort = () => reject(signal?.reason)
    signal?.addEventListener('abort', () => request.abort())
    // The body is a form.
    request.send(body as FormData)
  })
}
