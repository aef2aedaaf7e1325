// H3: W3 over HTTP. The clients are in this process, and the server in another, so that what a request costs the server can be told.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { answersWithin, callers, crowdsInTurn, type Throughput } from './callers.ts'
import { countsFor } from './data.ts'
import type { DatabaseName, Options } from './options.ts'
import { postgresData } from './postgres-data.ts'
import type { Road } from './served/server.ts'
import { sqliteFile } from './sqlite-data.ts'
import { printThroughput } from './tables.ts'
import { queries } from './workloads.ts'

export interface ServedOutcome {
  readonly database: DatabaseName
  readonly crowd: readonly Throughput[]
}

export async function measureServed(options: Options): Promise<readonly ServedOutcome[]> {
  const counts = countsFor(options.rows)
  const outcomes: ServedOutcome[] = []
  for (const database of options.databases) {
    const data =
      database === 'sqlite' ? { url: sqliteFile(counts), close: async () => {} } : await postgresData(counts)
    try {
      const crowd = await served(database, data.url, options.seconds * 2)
      printThroughput(`H3 on ${database}`, crowd)
      outcomes.push({ database, crowd })
    } finally {
      await data.close()
    }
  }
  return outcomes
}

const script = fileURLToPath(new URL('./served/server.ts', import.meta.url))

async function served(
  database: DatabaseName,
  place: string,
  seconds: number,
): Promise<readonly Throughput[]> {
  const child = fork(script, [database, place])
  try {
    const [{ port, roads }] = (await once(child, 'message')) as [
      { readonly port: number; readonly roads: readonly Road[] },
    ]
    await checkAgreement(port, roads)
    return await takingTurns(child, port, roads, seconds)
  } finally {
    child.kill()
  }
}

async function takingTurns(
  child: ChildProcess,
  port: number,
  roads: readonly Road[],
  seconds: number,
): Promise<readonly Throughput[]> {
  // A server runs for long, and what the compiler does at its beginning is no part of what a request costs.
  for (const index of roads.keys()) await answered(port, index, 1_500)
  const numbered = roads.map((road, index) => ({ ...road, index }))
  return await crowdsInTurn(numbered, {
    answer: ({ index }, milliseconds) => answered(port, index, milliseconds),
    processor: () => processorOf(child),
    seconds,
  })
}

export async function processorOf(child: ChildProcess): Promise<number> {
  child.send('processor')
  const [milliseconds] = (await once(child, 'message')) as [number]
  return milliseconds
}

/** How many requests are answered by a road in that time. */
async function answered(port: number, road: number, milliseconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const calls = await answersWithin(() => ask(port, road, agent), callers, milliseconds)
  agent.destroy()
  return calls
}

const asked = queries.W3({ page: 1, key: 0, most: 0, skipped: 0 })
const search = new URLSearchParams()
for (const [name, value] of Object.entries(asked))
  search.set(name, typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value))

async function ask(port: number, road: number, agent: Agent): Promise<number> {
  const [response] = (await once(
    get({ port, agent, host: '127.0.0.1', path: `/${road}/items/articles?${search}` }),
    'response',
  )) as [IncomingMessage]
  let length = 0
  for await (const chunk of response) length += (chunk as Buffer).length
  if (response.statusCode !== 200) throw new Error(`Road ${road} answers ${response.statusCode}.`)
  return length
}

/** Speed counts only where the answers are equal. */
async function checkAgreement(port: number, roads: readonly Road[]): Promise<void> {
  const answers = await Promise.all(
    roads.map(async (_, road) => {
      const response = await fetch(`http://127.0.0.1:${port}/${road}/items/articles?${search}`)
      return JSON.stringify(await response.json())
    }),
  )
  const odd = answers.findIndex((answer) => answer !== answers[0])
  if (odd >= 0) throw new Error(`${roads[odd]?.party}, ${roads[odd]?.form} answers otherwise.`)
}
