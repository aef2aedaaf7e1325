import * as api from './api.ts'
import { flows } from './flows.ts'
import { listen } from './listen.ts'

await flows.start()

const server = listen(api.handler)

process.once('SIGTERM', async () => {
  await api.handler.stop() // event streams end
  await api.feed.stop()
  await flows.stop()
  server.close(() => api.engine.db.destroy())
})
