// The same in Hono, which speaks in requests and responses of the Web, as the handler does.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { gallery } from '../magazine/gallery.ts'
import { live } from '../magazine/live.ts'
import { openMagazineApi } from '../magazine/magazine.ts'
import { placeFrom, welcome } from '../magazine/welcome.ts'

const { handler, document } = await openMagazineApi()
const app = new Hono()
app.all('/api/*', (context) => handler(context.req.raw))
app.get('/', (context) => context.html(gallery))
app.get('/live', (context) => context.html(live))
app.get('/openapi.json', (context) => context.json(document))

const { host, port } = placeFrom(process.env)
serve({ fetch: app.fetch, hostname: host, port }, () => welcome('Hono', port))
