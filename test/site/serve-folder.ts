import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

/** Refuses what comes from elsewhere. VitePress begins with scripts in its pages, and sets styles. */
const policy =
  "default-src 'self' data:; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'"

/** Serves the files of a folder, as any host of static files does. */
export async function serveFolder(folder: string): Promise<{ readonly address: string; close(): void }> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname).replace(/\/$/, '/index.html')
    const bytes = await readFile(join(folder, path)).catch(() => undefined)
    const type = types[extname(path)] ?? 'application/octet-stream'
    const headers = { 'content-type': type, 'content-security-policy': policy }
    response.writeHead(bytes ? 200 : 404, headers).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() }
}
