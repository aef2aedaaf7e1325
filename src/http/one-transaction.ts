import { type Engine, internalsOf } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { inOneUnit } from '../writes/context/retry.ts'

/** Runs the work of a request in one transaction, which is repeated after deadlocks and conflicts like that of any function. */
export const inOneTransaction = async <Result>(
  engine: Engine,
  options: Options,
  work: (inside: Engine) => Promise<Result>,
): Promise<Result> => inOneUnit(internalsOf(engine), options, (inside) => work(inside.asEngine()))
