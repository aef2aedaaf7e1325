// Bodies over node:http: one that has come whole is taken at once, and is answered like one that comes in pieces.
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { toNode } from '../../../src/http.ts'
import { sqlite } from '../../support/databases.ts'
import { firstNewKey, openWorld } from '../magazine.ts'
import { overHttp } from '../transports.ts'

const json = 'Content-Type: application/json'
const cases = [
  ['a body', json, '{"title":"Milk"}', 200, `{"data":{"id":${firstNewKey}}}`],
  ['a body of some letters', json, '{"title":"Crème"}', 200, `{"data":{"id":${firstNewKey}}}`],
  ['a body that is too large', json, '{"title":"Milk and honey"}', 413, 'CONTENT_TOO_LARGE'],
  ['a body of another type', 'Content-Type: text/plain', 'Milk', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a body that is compressed', `${json}\r\nContent-Encoding: gzip`, 'Milk', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a body that is no JSON', json, '{"title":', 400, 'INVALID_PAYLOAD'],
] as const

for (const isWhole of [true, false])
  it.each(cases)(
    `%s that comes ${isWhole ? 'whole' : 'in pieces'}`,
    async (_, headers, body, status, says) => {
      let send = (): void => undefined
      const { handler } = await openWorld(sqlite, {
        bodyLimit: 20,
        authenticate: () => {
          send()
          return { admin: true }
        },
      })
      const heard: unknown[] = []
      const listener = toNode(handler)
      const server = createServer((request, response) => {
        const on = vi.spyOn(request, 'on')
        response.once('finish', () => heard.push(...on.mock.calls.map(([event]) => event)))
        return listener(request, response)
      })
      const socket = connect((await overHttp(server)).port, '127.0.0.1')
      const bytes = Buffer.from(body)
      const head = `POST /api/items/articles?fields=id HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\nContent-Length: ${bytes.length}\r\n\r\n`
      // The rest is sent when the request is at work.
      send = () => void (isWhole || socket.end(bytes.subarray(2)))
      socket.write(Buffer.concat([Buffer.from(head), isWhole ? bytes : bytes.subarray(0, 2)]))
      let got = ''
      for await (const chunk of socket) got += String(chunk)
      expect(got).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(got).toContain(says)
      // A body that is refused by its headers is not read.
      const isRead = !headers.includes('gzip')
      expect(heard.includes('readable')).toBe(isRead && !isWhole)
    },
  )
