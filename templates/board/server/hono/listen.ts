// Serves the API, the page, and the client for browsers.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import type { Handler } from 'quernel/http'

const client = dirname(fileURLToPath(import.meta.resolve('quernel/client')))

export function listen(handler: Handler) {
  const app = new Hono()
  app.all('/api/*', (context) => handler(context.req.raw))
  app.use(
    '/quernel/*',
    serveStatic({ root: client, rewriteRequestPath: (path) => path.slice('/quernel'.length) }),
  )
  app.use('/*', serveStatic({ root: 'public' }))
  const { HOST = '127.0.0.1', PORT = '3000' } = process.env
  return serve({ fetch: app.fetch, hostname: HOST, port: Number(PORT) }, () =>
    console.log(`http://localhost:${PORT}`),
  )
}
