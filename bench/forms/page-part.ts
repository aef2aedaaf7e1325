// The part of `docs/benchmarks.md` about forms of writes. It is measured apart, so that a whole run of the others keeps it.
import { readFileSync, writeFileSync } from 'node:fs'
import { aligned } from '../tables.ts'
import type { MeasuredCell } from './measure-cell.ts'
import { summaryOf } from './summary.ts'

const place = new URL('../../docs/benchmarks.md', import.meta.url)
const title = '## Forms of writes'

/** A part as the page has it. */
export function keptPart(title: string, page: string = readFileSync(place, 'utf8')): string {
  const start = page.indexOf(title)
  if (start < 0) throw new Error(`docs/benchmarks.md has no "${title}".`)
  const end = page.indexOf('\n## ', start)
  return page.slice(start, end < 0 ? undefined : end).trimEnd()
}

export const formsPart = (page?: string): string => keptPart(title, page)

export function writeFormsPart(outcomes: readonly MeasuredCell[]): void {
  const page = readFileSync(place, 'utf8')
  writeFileSync(
    place,
    page.replace(formsPart(page), (part) =>
      [partOf(outcomes), part.split(lists)[1]].filter(Boolean).join(`\n\n${lists}`),
    ),
  )
}

const partOf = (outcomes: readonly MeasuredCell[]) => `${title}

Processor time of a write beside one statement by hand that keeps the same promise, by the same door: a function, a transaction with a
savepoint, a handler of \`node:http\` with that statement, a resolver of graphql-js that runs it. Where related rows are locked, by hand is one
flight, and with a hook a transaction. Of ${outcomes.length} measures, some of them with 16 callers, the worst of each form, and in brackets the median:

${aligned(summaryOf(outcomes))}

The number of statements hangs on no machine: the tests count them for each form, verb, door and database, and
\`test/writes/forms/statements.txt\` has a reason beside each that takes more than one.`

const lists = '### Lists, and notes that a query selects'

/** Writes the table of lists behind that of single notes. */
export function writeListsPart(table: readonly (readonly string[])[]): void {
  const page = readFileSync(place, 'utf8')
  const part = formsPart(page)
  const [, behind] = part.split(nested)
  const whole = `${part.split(lists)[0]?.trimEnd()}\n\n${lists}

Processor time of a note beside one statement by hand for all of them, with the same promise, whose values are one JSON text: lists of 100 and
1,000 notes, and 5,000 that a query selects, on both databases; the worst of each, and in brackets the median:

${aligned(table)}`
  const kept = behind === undefined ? '' : `\n\n${nested}${behind}`
  writeFileSync(
    place,
    page.replace(part, () => `${whole}${kept}`),
  )
}

const nested = '### A note with comments in it'

/** Writes the table of nested rows behind all others. */
export function writeNestedPart(table: readonly (readonly string[])[]): void {
  const page = readFileSync(place, 'utf8')
  const part = formsPart(page)
  const whole = `${part.split(nested)[0]?.trimEnd()}\n\n${nested}

Processor time of a call beside a transaction by hand with one statement for all comments: a new note with twenty comments, and a list of twenty
that an update gives a note, half of them new and half of another note's, which deletes those that are left. The goal is 2:

${aligned(table)}`
  writeFileSync(
    place,
    page.replace(part, () => whole),
  )
}
