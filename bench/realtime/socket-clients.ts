// The clients of sockets, in a process of their own: they subscribe, and note when they hear of what.
import { WebSocket } from 'ws'
import { moment } from './moment.ts'

/** An order of the bench. */
export type Order =
  /** Opens sockets of callers, each with one subscription, and waits until all have their list. */
  | {
      readonly do: 'open'
      readonly url: string
      readonly first: number
      readonly count: number
      readonly isShared: boolean
    }
  /** Waits until so many frames have come since the last time, and returns how old they were, in milliseconds. */
  | { readonly do: 'hear'; readonly frames: number }
  /** Lets all sockets read nothing any more. */
  | { readonly do: 'stall' }
  | { readonly do: 'close' }

export interface Reply {
  readonly ages: readonly number[]
  readonly frames: number
  readonly closed: number
}

const patience = 120_000
const atOnce = 500

let sockets: WebSocket[] = []
let ages: number[] = []
let frames = 0
let closed = 0
let wake: (() => void) | undefined

const orders: { readonly [Name in Order['do']]: (order: Order & { readonly do: Name }) => Promise<unknown> } =
  {
    open: async ({ url, first, count, isShared }) => {
      const callers = Array.from({ length: count }, (_, index) => first + index)
      const work = callers[Symbol.iterator]()
      const opened: Promise<void>[] = []
      for (let index = 0; index < atOnce; index++)
        opened.push(
          (async () => {
            for (const caller of work) await open(url, caller, isShared)
          })(),
        )
      await Promise.all(opened)
    },
    hear: async ({ frames: expected }) => {
      const end = performance.now() + patience
      while (frames < expected && performance.now() < end)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 1_000)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
    },
    stall: async () => {
      for (const socket of sockets) socket.pause()
    },
    close: async () => {
      for (const socket of sockets) socket.terminate()
      sockets = []
    },
  }

function open(url: string, caller: number, isShared: boolean): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  sockets.push(socket)
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => {
      closed += 1
    })
    socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', access_token: String(caller) })))
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'auth') {
        const filter = isShared ? {} : { filter: { amount: { _gte: caller } } }
        // Nobody needs the list itself.
        const query = { fields: ['id', 'title', 'amount', 'changed'], limit: 1, ...filter }
        socket.send(JSON.stringify({ type: 'subscribe', collection: 'tickets', query, uid: 1 }))
      } else if (message.event === 'init') resolve()
      else if (message.event !== undefined) hear(message)
      else reject(new Error(String(data)))
    })
  })
}

function hear({
  event,
  data,
}: {
  readonly event: string
  readonly data: readonly { readonly changed: number }[]
}): void {
  const now = moment()
  frames += 1
  if (event !== 'delete') for (const { changed } of data) ages.push(now - changed)
  wake?.()
}

process.on('message', (order: Order) => {
  // Each order has its own type.
  const run = orders[order.do] as (order: Order) => Promise<unknown>
  run(order).then(
    () => {
      const reply: Reply = { ages, frames, closed }
      if (order.do === 'hear') {
        ages = []
        frames = 0
      }
      process.send?.(reply)
    },
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
