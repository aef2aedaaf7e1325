// Filters in a realm that has what every worker has, and nothing of Node.
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answers, answers, memoryCases } from './answers.ts'

/** What workers have besides JavaScript itself, of which filters need nothing more. */
const web = { TextEncoder, TextDecoder, atob, btoa, URLSearchParams }

let theirs: Answers
const ours: Answers = JSON.parse(JSON.stringify(answers()))

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'answers.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'theirs',
    platform: 'browser',
  })
  const realm = createContext({ ...web })
  runInContext(outputFiles[0]?.text ?? '', realm)
  theirs = JSON.parse(runInContext('JSON.stringify(theirs.answers())', realm))
  expect(runInContext('typeof process + typeof Buffer + typeof require', realm)).toBe('undefined'.repeat(3))
})

describe('in a worker', () => {
  it.each(memoryCases.map((one, index) => ({ ...one, index })))('$title', ({ expect: expected, index }) => {
    const found = theirs.matched[index]
    expect(typeof expected === 'string' ? Object(found).code : found).toEqual(expected)
  })

  it('filters become the same SQL as on the server', () => {
    expect(theirs.compiled.length).toBeGreaterThan(100)
    expect(theirs.compiled).toEqual(ours.compiled)
  })

  it('query strings are read as on the server, and refused with the same words', () => {
    expect(theirs.parsed).toEqual(ours.parsed)
    expect(theirs.refused).toEqual(ours.refused)
    expect(theirs.refused).toMatchObject({ code: 'INVALID_SCHEMA' })
  })

  it('bytes, dates and geometries are compared as on the server', () => {
    expect(theirs.objects).toEqual(ours.objects)
    expect(new Set(theirs.objects)).toEqual(new Set([true, false]))
  })
})
