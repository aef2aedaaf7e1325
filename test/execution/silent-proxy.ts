// A network between a pool and its server that loses what is sent from some moment on, and says nothing of it.
import { openRelay, type Relay } from '../support/relay.ts'

export interface Network extends Relay {
  /** From now on nothing reaches anybody, on the connections that there are. */
  swallow(): void
  /** The same, once this was sent to the server; that still arrives, and its answer does not. */
  swallowAfter(text: string): void
  /** Lets new connections through again. */
  heal(): void
}

/** @example const proxy = await proxyTo(5432) */
export async function proxyTo(port: number): Promise<Network> {
  let last: string | undefined
  let generation = { isDead: false }
  const relay = await openRelay(port, (near, far) => {
    const own = generation
    near.on('close', () => far.destroy())
    far.on('close', () => {
      if (!own.isDead) near.destroy()
    })
    near.on('data', (data) => {
      if (own.isDead) return
      if (last !== undefined && data.includes(last)) own.isDead = true
      far.write(data)
    })
    far.on('data', (data) => {
      if (!own.isDead) near.write(data)
    })
  })
  return {
    ...relay,
    swallow: () => {
      generation.isDead = true
    },
    swallowAfter: (text) => {
      last = text
    },
    heal: () => {
      last = undefined
      generation = { isDead: false }
    },
  }
}
