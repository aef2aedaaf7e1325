// Runs a write whose statements decide by themselves: alone, if one of them is all of it, or in a transaction. Where they do not decide after all,
// nothing is written, and each row is looked at.

import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { inOneUnit } from '../context/retry.ts'
import { newWriteContext, type WriteContext } from '../context/write-context.ts'
import { UnsureRows } from './rows-together.ts'

export interface Program<Result> {
  /** Runs without a transaction. Undefined if that is not possible, or has written nothing. */
  readonly alone: (writing: WriteContext) => Promise<Result | undefined>
  /** Runs in the transaction of a context. */
  readonly within: (inside: WriteContext) => Promise<Result>
  /** True for other errors after which each row is looked at, too. */
  readonly doubts?: (error: unknown) => boolean
}

/** Runs a program. `each`: looks at each row, where there is no program, or its statements throw UnsureRows. */
export async function runProgram<Result>(
  program: Program<Result> | undefined,
  each: (inside: WriteContext) => Promise<Result>,
  engine: EngineInternals,
  options: Options,
): Promise<Result> {
  const inUnit = (work: (inside: WriteContext) => Promise<Result>) =>
    inOneUnit(engine, options, (inside) => work(newWriteContext(inside, options)))
  if (!program) return inUnit(each)
  try {
    const result = await program.alone(newWriteContext(engine, options))
    return result ?? (await inUnit(program.within))
  } catch (error) {
    if (!(error instanceof UnsureRows) && !program.doubts?.(error)) throw error
    return inUnit(each)
  }
}
