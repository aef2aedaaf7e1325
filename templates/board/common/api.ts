import { createHandler } from 'quernel/http'
import { createFeed, localSource, realtime } from 'quernel/realtime'
import { openEngine } from './engine.ts'
import { accessOf } from './rules.ts'

export const engine = await openEngine()
export const feed = createFeed(engine, { source: localSource() })
const mounts = [realtime(feed)]
export const handler = createHandler(engine, { prefix: '/api', authenticate: accessOf, mounts })
