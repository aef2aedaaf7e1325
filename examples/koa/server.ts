// The same in Koa, which leaves the response to the handler.
import Koa from 'koa'
import { toNode } from 'quernel/http'
import { gallery } from '../magazine/gallery.ts'
import { live } from '../magazine/live.ts'
import { openMagazineApi } from '../magazine/magazine.ts'
import { placeFrom, welcome } from '../magazine/welcome.ts'

const { handler, document } = await openMagazineApi()
const answer = toNode(handler)
const app = new Koa()
app.use(async (context, next) => {
  if (context.path === '/') context.body = gallery
  if (context.path === '/live') context.body = live
  if (context.path === '/openapi.json') context.body = document
  if (!context.path.startsWith('/api/')) return next()
  context.respond = false
  return answer(context.req, context.res)
})

const { host, port } = placeFrom(process.env)
app.listen(port, host, () => welcome('Koa', port))
