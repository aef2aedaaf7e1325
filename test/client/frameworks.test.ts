// The client behind each framework: a read, a long read, a write, a refusal and a live list are what they are behind a server of Node.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { connect, createItem, deleteByQuery, getItem, listItems, liveList } from '../../src/client.ts'
import { createHandler, type Handler, toNode } from '../../src/http.ts'
import { realtime } from '../../src/realtime.ts'
import { admin, openTasks, type schema } from '../realtime/tasks.ts'
import { atEnd } from '../support/at-end.ts'

function onExpress(handler: Handler) {
  const app = express()
  app.use('/api', toNode(handler))
  return createServer(app)
}

function onKoa(handler: Handler) {
  const app = new Koa()
  app.use((context) => {
    context.respond = false
    return toNode(handler)(context.req, context.res)
  })
  return createServer(app.callback())
}

function onHono(handler: Handler) {
  const app = new Hono().all('/api/*', (context) => handler(context.req.raw))
  return createAdaptorServer(app) as ReturnType<typeof createServer>
}

/** A framework that routes by methods that it knows, as Next does: it has no route for others, such as SEARCH. */
function onRoutes(handler: Handler) {
  const listener: RequestListener = toNode(handler)
  const routed = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  return createServer((request, response) => {
    if (routed.includes(request.method ?? '')) listener(request, response)
    else response.writeHead(405).end()
  })
}

it.each([
  ['Express', onExpress] as const,
  ['Koa', onKoa] as const,
  ['Hono', onHono] as const,
  ['routes by methods', onRoutes] as const,
])('behind %s', async (_, serve) => {
  const { engine, feed } = await openTasks()
  const handler = createHandler(engine, {
    prefix: '/api',
    authenticate: (token) => (token === 'secret' ? admin : null),
    mounts: [realtime(feed)],
  })
  const server = serve(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  const api = connect<typeof schema>(url, { token: 'secret' })
  const titles = { fields: ['title'], sort: 'title' } as const
  const open = liveList(api, 'tasks', titles)
  atEnd(open.subscribe(() => undefined))
  const live = (items: readonly object[]) =>
    expect.poll(() => open.getSnapshot()).toMatchObject({ state: 'live', items })
  await live([{ title: 'Hide' }, { title: 'Paint' }, { title: 'Write' }])
  expect(await createItem(api, 'tasks', { title: 'Cook' }, { fields: ['id'] })).toEqual({ id: 4 })
  await live([{ title: 'Cook' }, { title: 'Hide' }, { title: 'Paint' }, { title: 'Write' }])
  const long = { ...titles, filter: { id: { _in: Array.from({ length: 2_000 }, (_, index) => index + 3) } } }
  expect(await listItems(api, 'tasks', long)).toEqual({ data: [{ title: 'Cook' }, { title: 'Hide' }] })
  expect(await deleteByQuery(api, 'tasks', { filter: { title: { _eq: 'Cook' } } })).toEqual({
    deleted: 1,
    keys: [4],
  })
  await live([{ title: 'Hide' }, { title: 'Paint' }, { title: 'Write' }])
  await expect(getItem(api, 'tasks', 4)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
  const stranger = connect<typeof schema>(url)
  await expect(listItems(stranger, 'tasks')).rejects.toMatchObject({ status: 401 })
})
