// The whole collections API in an Express server: one line of it is Quernel's.
import express from 'express'
import { toNode } from 'quernel/http'
import { openHandler } from '../magazine/magazine.ts'
import { portFrom, welcome } from '../magazine/welcome.ts'

const { handler } = await openHandler()
const app = express()
app.use('/api', toNode(handler))

const port = portFrom(process.env)
app.listen(port, () => welcome('Express', port))
