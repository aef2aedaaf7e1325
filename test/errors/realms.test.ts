// Modules that are loaded twice, or in another context of `node:vm` as test runners do, meet in one process.

import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import * as ours from '../../src/errors/errors.ts'
import { createEngine, defineSchema, parseQuery } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'

type Errors = typeof ours

/** A second copy of a module with what it imports, where every built-in class is another. */
function inAnotherRealm(path: string): unknown {
  const context = createContext({})
  const load = (file: URL): unknown => {
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    })
    const exports = {}
    const wrapped: unknown = runInContext(`(exports, require) => {${outputText}\n}`, context)
    Reflect.apply(Object(wrapped), undefined, [exports, (other: string) => load(new URL(other, file))])
    return exports
  }
  return load(new URL(path, import.meta.url))
}

describe('an error of another realm', () => {
  const theirs = inAnotherRealm('../../src/errors/errors.ts') as Errors
  const error: unknown = theirs.fault('NOT_FOUND', 'Not here.', { path: ['a'], hint: 'Look there.' })

  it('is recognised, although it is no instance of any class here', () => {
    expect(error instanceof Error || error instanceof ours.EngineError).toBe(false)
    expect(ours.isEngineError(error)).toBe(true)
    expect(theirs.isEngineError(ours.fault('NOT_FOUND', 'Not there.'))).toBe(true)
    expect(ours.toErrorBody(error)).toEqual({
      errors: [{ message: 'Not here.', extensions: { code: 'NOT_FOUND', path: ['a'], hint: 'Look there.' } }],
    })
  })

  it('is told from other errors of that realm, and from what has the shape of one', () => {
    const other: unknown = runInContext('new Error("x")', createContext({}))
    expect(ours.isEngineError(other)).toBe(false)
    expect(ours.isEngineError(runInContext('({ code: "NOT_FOUND", status: 404 })', createContext({})))).toBe(
      false,
    )
  })

  it('is no longer one once it was cloned: nothing is left of it but its text', () => {
    const cloned: unknown = structuredClone(ours.fault('NOT_FOUND', 'Not here.'))
    expect(ours.isEngineError(cloned)).toBe(false)
    expect(cloned).toMatchObject({ message: 'Not here.' })
    expect(structuredClone(ours.toErrorBody(error))).toEqual(ours.toErrorBody(error))
  })
})

it('a schema of another realm is one', async () => {
  const { db } = await openSqlite()
  const schema = defineSchema({ things: { fields: { id: { type: 'integer', key: true } } } })
  const collections = runInContext('new Map(entries)', createContext({ entries: [...schema.collections] }))
  expect(() => createEngine({ db, schema: { ...schema, collections } })).not.toThrow()
})

it('search parameters of another realm are read', () => {
  class URLSearchParams extends Array<[string, string]> {
    readonly [Symbol.toStringTag] = 'URLSearchParams'
  }
  expect(parseQuery(new URLSearchParams(['limit', '5'], ['fields[]', 'id']))).toEqual({
    limit: 5,
    fields: ['id'],
  })
})
