// The contract of sources, from which feeds receive changes.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import { checkOptions, optionNames } from '../../errors/check-options.ts'
import { milliseconds } from '../../execution/database.ts'
import type { Source, SourceBatch, SourcePosition } from '../../realtime/feed/source.ts'
import type { ContractCase } from '../case.ts'

/** A source under test, with a way to cause the changes that it reports. */
export interface TestedSource {
  readonly engine: Engine
  readonly source: Source
  /** A collection whose changes it reports. */
  readonly collection: string
  /** Creates or changes the item of a key, and commits; a source that does not watch the database itself is notified here. */
  readonly write: (key: number) => unknown
}

/** Options of a source contract. */
export interface SourceContractOptions {
  /** Milliseconds that a case waits for a change to be reported. By default 10,000. */
  readonly waitMs?: number
}

const contractOptions = optionNames<SourceContractOptions>({ waitMs: milliseconds })

/** Returns the contract of a source as test cases. `open` returns a source for each case; closing its connections is up to you.
 *  @example const source = localSource()
 *  const write = async (id: number) => upsertItem(engine, 'tags', { id, name: 'new' })
 *  const cases = sourceContract(() => ({ engine, source, collection: 'tags', write }))
 *  // for (const { title, run } of cases) it(title, run) */
export function sourceContract(
  open: () => TestedSource | Promise<TestedSource>,
  options: SourceContractOptions = {},
): readonly ContractCase[] {
  checkOptions(options, contractOptions)
  const { waitMs = 10_000 } = options
  return cases.map(({ title, run }) => ({
    title,
    run: async () => {
      const tested = await open()
      const readers: Reader[] = []
      const read = async (after?: SourcePosition) => {
        const reader = new Reader(tested, waitMs, after)
        readers.push(reader)
        await reader.begun()
        return reader
      }
      try {
        await run({ ...tested, read })
      } finally {
        for (const reader of readers) await reader.stop()
      }
    },
  }))
}

interface Running extends TestedSource {
  /** Begins to read, and waits for the first batch. */
  readonly read: (after?: SourcePosition) => Promise<Reader>
}

const cases: readonly { readonly title: string; run(tested: Running): Promise<void> }[] = [
  {
    title: 'the first batch says that the source listens, before anything is written',
    run: async ({ read }) => {
      const reader = await read()
      assert.ok(isPosition(reader.batches[0]?.position), 'the first batch has no position')
    },
  },
  {
    title: 'what is written during a read is reported, by its collection and its key',
    run: async ({ read, write, collection }) => {
      const reader = await read()
      await write(1_001)
      await reader.receives(1_001)
      assert.ok(
        reader.batches.every(({ changes }) => changes.every((one) => typeof one.collection === 'string')),
      )
      assert.ok(reader.reported(collection, 1_001))
    },
  },
  {
    title: 'each of many changes is reported',
    run: async ({ read, write }) => {
      const reader = await read()
      const keys = Array.from({ length: 20 }, (_, at) => 2_000 + at)
      for (const key of keys) await write(key)
      for (const key of keys) await reader.receives(key)
    },
  },
  {
    title: 'changes that are written at once are all reported',
    run: async ({ read, write }) => {
      const reader = await read()
      const keys = Array.from({ length: 10 }, (_, at) => 3_000 + at)
      await Promise.all(keys.map((key) => write(key)))
      for (const key of keys) await reader.receives(key)
    },
  },
  {
    title: 'each of several readers receives all changes',
    run: async ({ read, write }) => {
      const readers = [await read(), await read()]
      await write(4_001)
      for (const reader of readers) await reader.receives(4_001)
    },
  },
  {
    title: 'positions are numbers that grow, or texts',
    run: async ({ read, write }) => {
      const reader = await read()
      for (const key of [5_001, 5_002, 5_003]) {
        await write(key)
        await reader.receives(key)
      }
      const positions = reader.batches.map(({ position }) => position)
      assert.ok(positions.every(isPosition), 'a position is neither a number nor a text')
      const numbers = positions.filter((one) => typeof one === 'number')
      assert.deepEqual(
        numbers,
        numbers.toSorted((one, other) => one - other),
        'positions go back',
      )
    },
  },
  {
    title: 'a read ends when its signal is aborted, and another one goes on',
    run: async ({ read, write }) => {
      const [left, stays] = [await read(), await read()]
      await left.stop()
      await write(6_001)
      await stays.receives(6_001)
      assert.ok(
        !left.batches.some(({ changes }) => changes.length > 0),
        'a reader that was stopped received a change',
      )
    },
  },
  {
    title: 'a source that resumes reports what was written between two reads, or that it is broken',
    run: async ({ read, write, source }) => {
      if (source.resumes !== true) return
      const first = await read()
      await write(7_001)
      await first.receives(7_001)
      await first.stop()
      await write(7_002)
      const second = await read(first.batches.at(-1)?.position)
      await second.receives(7_002)
    },
  },
]

/** Reads a source, as a feed does. */
class Reader {
  readonly batches: SourceBatch[] = []
  readonly #tested: TestedSource
  readonly #waitMs: number
  readonly #over = new AbortController()
  readonly #reading: Promise<void>
  #failure: unknown

  constructor(tested: TestedSource, waitMs: number, after: SourcePosition | undefined) {
    this.#tested = tested
    this.#waitMs = waitMs
    this.#reading = this.#read(after)
  }

  async #read(after: SourcePosition | undefined): Promise<void> {
    const { signal } = this.#over
    const { engine, source } = this.#tested
    const onError = (error: unknown) => {
      this.#failure ??= error
    }
    try {
      for await (const batch of source.read(after, { engine, wants: () => true, signal, onError })) {
        if (signal.aborted) return
        this.batches.push(batch)
      }
    } catch (error) {
      if (!signal.aborted) this.#failure = error
    }
  }

  /** Waits for the first batch. */
  begun(): Promise<void> {
    return this.#until(() => this.batches.length > 0, 'no first batch came')
  }

  /** Waits until a change of the item is reported, by its key or as a change of any item. */
  receives(key: number): Promise<void> {
    return this.#until(() => this.reported(this.#tested.collection, key), `the item ${key} was not reported`)
  }

  reported(collection: string, key: number): boolean {
    return this.batches.some(
      ({ isBroken, changes }) =>
        isBroken === true ||
        changes.some(
          (change) =>
            change.collection === collection &&
            (change.keys === undefined || change.keys.some((one) => String(one) === String(key))),
        ),
    )
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await Promise.race([
      this.#reading,
      this.#until(() => false, 'a read went on after its signal was aborted'),
    ])
  }

  async #until(isSo: () => boolean, complaint: string): Promise<void> {
    const end = performance.now() + this.#waitMs
    while (!isSo()) {
      if (this.#failure !== undefined) throw this.#failure
      if (performance.now() > end) assert.fail(complaint)
      await pause(2)
    }
  }
}

const isPosition = (input: unknown): boolean => typeof input === 'number' || typeof input === 'string'
