import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { toNode } from 'quernel/http'
import { db, feed, handler } from './api.ts'
import { flows } from './flows.ts'

await flows.start()

const client = dirname(fileURLToPath(import.meta.resolve('quernel/client')))
const app = express()
app.use('/api', toNode(handler))
app.use('/quernel', express.static(client))
app.use(express.static('public'))
const { HOST = '127.0.0.1', PORT = '3000' } = process.env
const server = app.listen(Number(PORT), HOST, (error) => {
  if (error) throw error
  console.log(`http://localhost:${PORT}`)
})

process.once('SIGTERM', async () => {
  await handler.stop() // event streams end
  await feed.stop()
  await flows.stop()
  server.close(() => db.destroy())
})
