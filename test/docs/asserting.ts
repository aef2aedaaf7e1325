// What the modules made from pages call: they note where a page has got to, and what came of its examples.
import { expect } from 'vitest'
import { isEngineError } from '../../src/errors/errors.ts'

let reached = 0
let outcomes = new Map<number, unknown>()

export interface Run {
  /** The line of the last statement that was begun. */
  readonly reached: number
  /** What stopped the page before its end. */
  readonly stopped?: unknown
  /** By line: undefined where the example holds, else what is wrong. */
  readonly outcomes: ReadonlyMap<number, unknown>
}

/** Runs a page, which is a module that is imported. */
export async function runPage(start: () => Promise<unknown>): Promise<Run> {
  reached = 0
  outcomes = new Map()
  try {
    await start()
    return { reached, outcomes }
  } catch (error) {
    return { reached, outcomes, stopped: error }
  }
}

export function at(line: number): void {
  reached = line
}

export function expectValue(line: number, ask: () => unknown, expected: () => unknown): Promise<void> {
  return note(line, async () => {
    expect(await ask()).toEqual(expected())
  })
}

export function expectError(line: number, ask: () => unknown, text: string): Promise<void> {
  return note(line, async () => {
    const error = await thrownBy(ask)
    expect(error).toSatisfy(isEngineError)
    expect(messagesOf(error).join('\n')).toContain(text)
  })
}

async function note(line: number, check: () => Promise<void>): Promise<void> {
  reached = line
  outcomes.set(line, await thrownBy(check))
}

async function thrownBy(act: () => unknown): Promise<unknown> {
  try {
    await act()
    return undefined
  } catch (error) {
    return error
  }
}

/** One input may have several problems, of which an example may show any. */
const messagesOf = (error: unknown): string[] =>
  isEngineError(error) ? [error, ...(error.errors ?? [])].map(({ message }) => message) : []
