// Heartbeats of sockets: who does not answer two of them is gone.
import { every } from '../timers.ts'

interface BeatingSocket {
  readonly ping: () => void
  readonly terminate: () => void
}

/** A socket that is asked now and then whether it is there. */
interface Beating {
  /** Notes that it is there. */
  readonly hear: () => void
  readonly end: () => void
}

interface Beat {
  readonly socket: BeatingSocket
  /** Pings that it has not answered. */
  missed: number
}

/** Seconds between two pings of a socket. In each of them a part of all sockets is pinged. */
const seconds = 30

/** Pings after which a socket that does not answer is gone. */
const maxMissed = 2

export class Heartbeats {
  readonly #parts = Array.from({ length: seconds }, () => new Set<Beat>())
  #next = 0
  #at = 0
  #count = 0
  #stop: (() => void) | undefined

  add(socket: BeatingSocket): Beating {
    const beat: Beat = { socket, missed: 0 }
    const part = this.#parts[this.#next]
    this.#next = (this.#next + 1) % seconds
    part?.add(beat)
    this.#count += 1
    this.#stop ??= every(1_000, () => this.#beat())
    return {
      hear: () => {
        beat.missed = 0
      },
      end: () => {
        if (!part?.delete(beat)) return
        this.#count -= 1
        if (this.#count > 0) return
        this.#stop?.()
        this.#stop = undefined
      },
    }
  }

  #beat(): void {
    this.#at = (this.#at + 1) % seconds
    for (const beat of this.#parts[this.#at] ?? []) {
      if (beat.missed >= maxMissed) beat.socket.terminate()
      else beat.socket.ping()
      beat.missed += 1
    }
  }
}
