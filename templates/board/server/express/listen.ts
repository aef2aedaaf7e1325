// Serves the API, the page, and the client for browsers.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { type Handler, toNode } from 'quernel/http'

const client = dirname(fileURLToPath(import.meta.resolve('quernel/client')))

export function listen(handler: Handler) {
  const app = express()
  app.use('/api', toNode(handler))
  app.use('/quernel', express.static(client))
  app.use(express.static('public'))
  const { HOST = '127.0.0.1', PORT = '3000' } = process.env
  return app.listen(Number(PORT), HOST, (error) => {
    if (error) throw error
    console.log(`http://localhost:${PORT}`)
  })
}
