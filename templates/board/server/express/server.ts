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
const port = Number(process.env.PORT ?? 3000)
const server = app.listen(port, () => console.log(`http://localhost:${port}`))

process.once('SIGTERM', async () => {
  await handler.stop() // event streams end
  await feed.stop()
  await flows.stop()
  server.close(() => db.destroy())
})
