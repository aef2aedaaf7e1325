// What a bound on requests at work is worth: many clients at once of a server over PostgreSQL, with several bounds.
// npx tsx --tsconfig bench/tsconfig.run.json bench/admission.ts --seconds=5
import './production.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/support/postgres.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, rows: { type: 'string', default: '20000' } },
})
const seconds = Number(values.seconds)
const bounds = [100_000, 1_000, 500, 250, 100]

interface Answer {
  readonly status: number
  readonly ms: number
}

function ask(agent: Agent, port: number, path: string): Promise<Answer> {
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, path, host: '127.0.0.1' }, (response) => {
      response
        .resume()
        .once('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - since }))
    })
    sent.once('error', reject).end()
  })
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN

/** Each client asks again once it has its answer, and waits for a second where it is told to. */
async function crowd(port: number, clients: number): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const good: number[] = []
  const refused: number[] = []
  const end = performance.now() + seconds * 1_000
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < end) {
        const isByKey = client % 2 === 0
        const path = isByKey ? `/items/notes/${1 + (client % 1_000)}` : '/items/notes?sort=-text&limit=100'
        const { status, ms } = await ask(agent, port, path)
        if (status === 200) good.push(ms)
        else refused.push(ms)
        if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 1_000))
      }
    }),
  )
  agent.destroy()
  for (const list of [good, refused]) list.sort((one, other) => one - other)
  const each = (list: readonly number[]) => [0.5, 0.99].map((share) => at(list, share).toFixed(0)).join(' / ')
  return `${(good.length / seconds).toFixed(0)} answers a second, ${each(good)} ms; ${refused.length} refused after ${each(refused)} ms`
}

const server = await startPostgres()
const script = fileURLToPath(new URL('./served/bounded-server.ts', import.meta.url))
try {
  for (const clients of [500, 1_000])
    for (const bound of bounds) {
      const child = fork(script, [server.url, String(bound), values.rows])
      const [port] = (await once(child, 'message')) as [number]
      console.log(`${clients} clients, at most ${bound} at work: ${await crowd(port, clients)}`)
      child.kill()
      await once(child, 'exit')
    }
} finally {
  await server.stop()
}
