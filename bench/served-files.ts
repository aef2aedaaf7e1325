// F1 to F4: files over HTTP, beside node:http by hand. The clients are in this process, and the server in another, so that what a request costs
// the server can be told.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { answersWithin, callers, crowdsInTurn, type Throughput } from './callers.ts'
import type { Options } from './options.ts'
import type { FileRoad } from './served/files-server.ts'
import { processorOf } from './served.ts'
import { printThroughput } from './tables.ts'
import type { FileWorkload } from './workloads.ts'

export interface FileOutcome {
  readonly workload: FileWorkload
  readonly crowd: readonly Throughput[]
}

const script = fileURLToPath(new URL('./served/files-server.ts', import.meta.url))

export async function measureFiles(options: Options): Promise<readonly FileOutcome[]> {
  const child = fork(script)
  const outcomes: FileOutcome[] = []
  try {
    const [{ port, roads }] = (await once(child, 'message')) as [
      { readonly port: number; readonly roads: readonly FileRoad[] },
    ]
    const places = roads.map((road, index) => ({
      ...road,
      url: `http://127.0.0.1:${port}/${index}${road.path}`,
    }))
    for (const workload of options.files) {
      const own = places.filter((place) => place.workload === workload)
      await checkAgreement(own)
      for (const place of own) await answered(place, 1_000)
      const crowd = await crowdsInTurn(own, {
        answer: answered,
        processor: () => processorOf(child),
        seconds: options.seconds,
      })
      printThroughput(workload, crowd)
      outcomes.push({ workload, crowd })
    }
    return outcomes
  } finally {
    child.disconnect()
  }
}

interface Place extends FileRoad {
  readonly url: string
}

/** How many requests are answered at a place in that time. */
async function answered(place: Place, milliseconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const calls = await answersWithin(() => ask(place, agent), callers, milliseconds)
  agent.destroy()
  return calls
}

const upload = Buffer.concat([
  Buffer.from(
    '--x\r\ncontent-disposition: form-data; name="file"; filename="notes.txt"\r\ncontent-type: text/plain\r\n\r\n',
  ),
  Buffer.alloc(100_000, 'All work and no play. '),
  Buffer.from('\r\n--x--\r\n'),
])

async function ask({ url, method, headers }: Place, agent?: Agent): Promise<Buffer> {
  const sending = request(url, { method, headers, ...(agent && { agent }) })
  sending.end(method === 'POST' ? upload : undefined)
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  if (response.statusCode !== 200 && response.statusCode !== 206)
    throw new Error(`${method} ${url} answers ${response.statusCode}.`)
  return Buffer.concat(chunks)
}

/** Speed counts only where the bytes are equal. An upload has another key each time. */
async function checkAgreement(places: readonly Place[]): Promise<void> {
  const answers = await Promise.all(places.map((place) => ask(place)))
  const odd = places.findIndex(
    ({ method }, index) => method === 'GET' && !answers[0]?.equals(answers[index] ?? Buffer.alloc(0)),
  )
  if (odd >= 0) throw new Error(`${places[odd]?.workload}: ${places[odd]?.party} answers otherwise.`)
}
