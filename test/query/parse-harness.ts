// How the tests of the parser look at what it answers and at what it refuses.
import { expect } from 'vitest'
import { isEngineError } from '../../src/errors/errors.ts'
import { type ParseOptions, parseQuery } from '../../src/query/parse.ts'

/** Expects a query, and with it what holds for every query: it is plain JSON, and reading it again changes nothing. */
export function expectQuery(input: unknown, query: object, options?: ParseOptions): void {
  const parsed = parseQuery(input, options)
  expect(parsed).toStrictEqual(query)
  expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(query)
  expect(parseQuery(parsed)).toStrictEqual(query)
}

/** What a caller is told about one mistake. */
export interface Told {
  readonly path: readonly (string | number)[] | undefined
  readonly message: string
  readonly hint?: string
}

/** All that is said about a query that must be refused. */
export function refusal(input: unknown, options?: ParseOptions): readonly Told[] {
  const error = thrownBy(() => parseQuery(input, options))
  if (!isEngineError(error)) throw error
  expect(error).toMatchObject({ code: 'INVALID_QUERY', status: 400 })
  return (error.errors ?? [error]).map(({ path, message, hint }) => ({
    path,
    message,
    ...(hint !== undefined && { hint }),
  }))
}

/** The same for a filter of typed input. */
export const filterRefusal = (filter: unknown, options?: ParseOptions): readonly Told[] =>
  refusal({ filter }, options)

export function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
