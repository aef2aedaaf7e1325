// The blocks of operations that a run is inside of: that of the flow, and those of its loops.
import { type Chain, copyJson, isNoJson, type JsonCopy, mostResult } from '../chain/chain.ts'
import type { Block } from '../check/compiled.ts'
import { type CallPosition, type FramePosition, Parked } from './keeper.ts'

export interface BlockFrame {
  next: string | undefined
  calls: CallPosition | undefined
}

interface LoopFrame extends BlockFrame {
  readonly block: Block
  index: number
  bytes: number
  readonly results: unknown[]
  /** True between two values. */
  isBetween: boolean
  /** `$last` before the loop inside of it began. */
  last: unknown
}

export class Frames {
  readonly #chain: Chain
  readonly #root: BlockFrame
  readonly #loops: LoopFrame[] = []
  /** Positions of the inner blocks from which the run goes on. */
  readonly #resumed: FramePosition[]

  #left: readonly FramePosition[] | undefined

  constructor(chain: Chain, [root, ...inner]: readonly FramePosition[]) {
    this.#chain = chain
    this.#root = { next: root?.next, calls: root?.calls }
    this.#resumed = inner
  }

  get innermost(): BlockFrame {
    return this.#loops.at(-1) ?? this.#root
  }

  get isInLoop(): boolean {
    return this.#loops.length > 0
  }

  /** True while an operation goes on that has begun before the run was taken up. */
  get isResuming(): boolean {
    return this.#resumed.length > 0 || this.innermost.calls !== undefined
  }

  /** The positions at which a loop has failed, as long as nothing has handled that. */
  get left(): readonly FramePosition[] | undefined {
    return this.#left
  }

  /** Goes on after a failure. */
  handle(): void {
    this.#left = undefined
  }

  get positions(): readonly FramePosition[] {
    const { next, calls } = this.#root
    // Loops that it has not come to again are where they were.
    return [{ next, calls }, ...this.#loops.map((frame) => this.#positionOf(frame)), ...this.#resumed]
  }

  #positionOf(frame: LoopFrame): FramePosition {
    const { next, calls, block, index, results, isBetween } = frame
    const place = { index, results, calls }
    if (isBetween) return place
    const locals = [...block.operations.keys()].flatMap((key) => {
      const value = this.#chain.get(key)
      return value === undefined ? [] : [[key, value] as const]
    })
    return {
      ...place,
      next,
      locals,
      last: frame === this.innermost ? this.#chain.last.value : frame.last,
    }
  }

  /** Runs a block for each value of a list, and returns what it answers. */
  async inLoop(
    block: Block,
    list: readonly unknown[],
    run: (frame: LoopFrame) => Promise<unknown>,
    afterEach: () => Promise<void> | undefined,
  ): Promise<readonly unknown[]> {
    const chain = this.#chain
    const around = ['$item', '$index'].map((root) => [root, chain.get(root)] as const)
    const resumed = this.#resumed.shift()
    const outer = this.#loops.at(-1)
    if (outer) outer.last = chain.last.value
    const frame = frameOf(block, resumed)
    this.#loops.push(frame)
    try {
      while (frame.index < list.length) {
        const item = list[frame.index]
        chain.point('$item', item)
        chain.point('$index', frame.index)
        if (frame.isBetween) {
          chain.setLast({ value: item, bytes: 0 })
          frame.next = block.first
          frame.isBetween = false
        } else if (resumed) this.#restore(resumed)
        frame.results.push(await run(frame))
        clear(block, chain)
        frame.index += 1
        frame.isBetween = true
        await afterEach()
      }
      return frame.results
    } catch (error) {
      // A run that fails by it may be taken up where it was.
      if (!(error instanceof Parked)) this.#left ??= this.positions
      throw error
    } finally {
      this.#loops.pop()
      // An iteration that has failed leaves nothing behind either.
      clear(block, chain)
      for (const [root, value] of around)
        if (value === undefined) chain.delete(root)
        else chain.point(root, value)
    }
  }

  #restore({ locals = [], last }: FramePosition): void {
    for (const [key, value] of locals) this.#chain.set(key, storedCopy(value))
    this.#chain.setLast(storedCopy(last))
  }
}

function frameOf(block: Block, resumed: FramePosition | undefined): LoopFrame {
  const { next, calls, index = 0, results = [], locals } = resumed ?? {}
  return {
    block,
    next,
    calls,
    index,
    results: [...results],
    bytes: results.reduce((sum: number, one) => sum + storedCopy(one).bytes, 0),
    isBetween: locals === undefined,
    last: null,
  }
}

function clear({ operations }: Block, chain: Chain): void {
  for (const key of operations.keys()) chain.delete(key)
}

/** Returns a value that a run has kept, with its size. */
export function storedCopy(value: unknown): JsonCopy {
  const copy = copyJson(value, Number.POSITIVE_INFINITY)
  return isNoJson(copy) ? { value: null, bytes: mostResult } : copy
}
