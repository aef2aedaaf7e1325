// Compares the branches that no test reached with those that are argued: `npm run coverage` fails when the lists differ.
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { argued } from './argued.ts'

interface Position {
  readonly line?: number
}

interface Place {
  readonly start: Position
  readonly end: Position
}

/** What Istanbul says of one file, as far as branches go. */
interface FileCoverage {
  readonly path: string
  readonly branchMap: Readonly<Record<string, { readonly loc: Place; readonly locations: readonly Place[] }>>
  readonly b: Readonly<Record<string, readonly number[]>>
}

const root = resolve(import.meta.dirname, '../..')
// It was written by the run just before.
const files: readonly FileCoverage[] = Object.values(
  JSON.parse(readFileSync(resolve(root, 'coverage/coverage-final.json'), 'utf8')),
)

const branches = files.reduce((sum, { b }) => sum + Object.values(b).flat().length, 0)
const missed = files.flatMap(missedOf)
const guards = missed.filter(({ isGuard }) => isGuard)
const open = missed.filter(({ isGuard, at, text }) => !isGuard && argued[at]?.[text] === undefined)
const isMissed = (file: string, line: string) => missed.some(({ at, text }) => at === file && text === line)
const settled = Object.entries(argued).flatMap(([file, lines]) =>
  Object.keys(lines).flatMap((line) => (isMissed(file, line) ? [] : [`${file}: ${line}`])),
)

console.log(
  `${branches} branches: ${branches - missed.length} reached, ${guards.length} guards against bugs of our own, ${missed.length - guards.length - open.length} argued, ${open.length} open.`,
)
for (const { at, line, text } of open) console.error(`${at}:${line} is not reached: ${text}`)
for (const line of settled) console.error(`It is argued, but reached or gone: ${line}`)
if (open.length > 0 || settled.length > 0) process.exitCode = 1

function missedOf({ path, branchMap, b }: FileCoverage) {
  const lines = readFileSync(path, 'utf8').split('\n')
  return Object.entries(branchMap).flatMap(([id, { loc, locations }]) =>
    (b[id] ?? []).flatMap((times, arm) => {
      if (times > 0) return []
      // An `if` without an `else` has no place for it.
      const line = locations[arm]?.start.line ?? loc.start.line ?? 1
      const text = (lines[line - 1] ?? '').trim()
      const isGuard = /\bunreachable\(/.test(text + (lines[line] ?? ''))
      return [{ at: relative(root, path), line, text, isGuard }]
    }),
  )
}
