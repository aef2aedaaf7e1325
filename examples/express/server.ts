// The whole collections API in an Express server: one line of it is Quernel's, and one tells what it answers.
import express from 'express'
import { toNode } from 'quernel/http'
import { gallery } from '../magazine/gallery.ts'
import { live } from '../magazine/live.ts'
import { openMagazineApi } from '../magazine/magazine.ts'
import { placeFrom, welcome } from '../magazine/welcome.ts'

const { handler, document } = await openMagazineApi()
const app = express()
app.use('/api', toNode(handler))
app.get('/', (_request, response) => void response.type('html').send(gallery))
app.get('/live', (_request, response) => void response.type('html').send(live))
app.get('/openapi.json', (_request, response) => void response.json(document))

const { host, port } = placeFrom(process.env)
app.listen(port, host, (error) => {
  // Express tells here that the port is taken, too.
  if (error) throw error
  welcome('Express', port)
})
