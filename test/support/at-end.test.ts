// Tests end what they have opened, in whatever order their files run.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atEnd } from './at-end.ts'

const tests = join(import.meta.dirname, '..')
/** The set-up file is run again for each file. */
const forEach = join('support', 'processor.ts')
const ended: string[] = []

it('is called back after its test', () => {
  atEnd(() => ended.push('opened first'))
  atEnd(async () => {
    ended.push('opened last')
  })
  expect(ended).toEqual([])
})

it('is called back in the order in which things are closed', () => {
  expect(ended).toEqual(['opened last', 'opened first'])
})

it('stands in place of hooks of shared modules, which only the first of their files would have', () => {
  const shared = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/\.test\.ts$|generated/.test(path) && path !== forEach,
  )
  expect(shared.length).toBeGreaterThan(100)
  expect(
    shared.filter((path) => /^(before|after)(Each|All)\(/m.test(readFileSync(join(tests, path), 'utf8'))),
  ).toEqual([])
})
