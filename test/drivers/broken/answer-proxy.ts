// A network before PostgreSQL that breaks at any byte of an answer, with whatever follows in the same read of the socket.
import type { Socket } from 'node:net'
import { openRelay, type Relay } from '../../support/relay.ts'

/** What comes in the place of the bytes from `at` on; the connection ends behind it. */
export interface Break {
  /** The place of the answer among those from now on. An answer ends when the server is ready for the next statement. */
  readonly answer: number
  readonly at: number
  /** `rest and FATAL`: nothing is lost, but the bytes before come in a read of their own. */
  readonly follows: 'rest and FATAL' | 'FATAL' | 'end'
}

/** An answer of the server. */
export interface Answer {
  readonly bytes: Buffer
  /** Where its messages begin, and where it ends. */
  readonly bounds: readonly number[]
}

export interface AnswerProxy extends Relay {
  /** Answers from the last `breakOff` on. */
  readonly answers: readonly Answer[]
  breakOff(at: Break | undefined): void
}

/** @example const proxy = await answerProxyTo(5432) */
export async function answerProxyTo(port: number): Promise<AnswerProxy> {
  let planned: Break | undefined
  let answers: Answer[] = []
  const relay = await openRelay(port, (near, far) => {
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.on('data', (data) => far.write(data))
    let held = Buffer.alloc(0)
    const pass = () => {
      near.write(held)
      held = Buffer.alloc(0)
    }
    far.on('data', (data) => {
      held = Buffer.concat([held, data])
      const bounds = boundsOf(held)
      if (!bounds) return
      if (!isReady(held)) return isDescription(held, bounds) ? pass() : undefined
      const answer = { bytes: held, bounds }
      answers.push(answer)
      if (planned?.answer !== answers.length) return pass()
      held = Buffer.alloc(0)
      breakAnswer(near, answer, planned)
    })
  })
  return {
    ...relay,
    get answers() {
      return answers
    },
    breakOff: (at) => {
      planned = at
      answers = []
    },
  }
}

function breakAnswer(near: Socket, { bytes }: Answer, { at, follows }: Break): void {
  const before = bytes.subarray(0, at)
  if (follows === 'end') near.end(before)
  else if (follows === 'FATAL') near.end(Buffer.concat([before, fatal]))
  else {
    near.write(before)
    // By then the bytes before have been read.
    setTimeout(() => near.end(Buffer.concat([bytes.subarray(at), fatal])), at === 0 ? 0 : 2)
  }
}

/** Returns where messages begin; undefined if the last one is not whole. */
function boundsOf(bytes: Buffer): readonly number[] | undefined {
  const bounds = [0]
  for (let at = 0; at < bytes.length; ) {
    if (at + 5 > bytes.length) return undefined
    at += 1 + bytes.readInt32BE(at + 1)
    if (at > bytes.length) return undefined
    bounds.push(at)
  }
  return bounds
}

const isReady = (bytes: Buffer) => bytes.length >= 6 && bytes.at(-6) === 'Z'.charCodeAt(0)

/** True for what is asked before a statement is sent: its columns, or how to log in. */
const isDescription = (bytes: Buffer, bounds: readonly number[]) =>
  'RTn'.includes(String.fromCharCode(bytes[bounds.at(-2) ?? 0] ?? 0))

/** The last message of a server that ends a connection. */
const fatal = (() => {
  const fields = [
    'SFATAL',
    'VFATAL',
    'C57P01',
    'Mterminating connection due to administrator command',
    'Fpostgres.c',
    'L3399',
    'RProcessInterrupts',
    '',
  ]
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''))
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
})()
