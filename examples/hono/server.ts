// The same in Hono, which speaks in requests and responses of the Web, as the handler does.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { openHandler } from '../magazine/magazine.ts'
import { portFrom, welcome } from '../magazine/welcome.ts'

const { handler } = await openHandler()
const app = new Hono()
app.all('/api/*', (context) => handler(context.req.raw))

const port = portFrom(process.env)
serve({ fetch: app.fetch, port }, () => welcome('Hono', port))
