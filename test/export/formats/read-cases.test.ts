// Every list of the read cases as a file of each format, read back by a parser: what it holds is what the list answers.

import { beforeAll, describe, expect, it } from 'vitest'
import { formats } from '../../../src/export/formats.ts'
import { exportItems } from '../../../src/export.ts'
import { createEngine, isEngineError, listItems, type Schema } from '../../../src/index.ts'
import { rows, schema as typed } from '../../conformance/reads/collections.ts'
import { readLanes } from '../../conformance/reads/lanes.ts'
import { readCases } from '../../conformance/reads.ts'
import { createTables } from '../../conformance/tables.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { lanes } from '../../support/lanes.ts'
import { isLong } from '../../support/long-runs.ts'
import { cellsOf, csvRows, readings } from '../parsers.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

/** One in so many cases is tried, and fewer where a host has set up its database in an odd way. */
const exportLanes = readLanes.map((lane, at) => ({ ...lane, at, every: at < lanes.length ? 4 : 16 }))

describe.each(exportLanes)('on $title', ({ name, collation, has, open, at, every }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    await createTables(name, opened.db.withoutPlugins(), schema, rows)
  })

  // Files have no "meta", and a column of JSON is only loose where a case made it so.
  const cases = readCases
    .filter(
      ({ needs, call }) =>
        call.verb === 'list' && needs !== 'looseColumns' && (!needs || has.includes(needs)),
    )
    // Formats know nothing of what was asked, so a few of the cases tell as much as all of them.
    .filter((_, index) => isLong || index % every === at)
    .map(({ call: { of, query }, engine, title }) => {
      const { meta: _, ...asked } = query
      return { title, of, query: asked, settings: engine }
    })

  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, { of, query, settings }) => {
    const engine = createEngine({
      db: opened.db,
      schema,
      clock,
      ...(collation && { collation }),
      ...settings,
    })
    const list = await problemsOr(listItems(engine, of, { ...query, meta: 'truncated' }))
    if ('problems' in list) {
      for (const format of formatNames)
        expect(await problemsOr(exportItems(engine, of, query, format))).toEqual(list)
      return
    }
    const isCut = list.meta?.truncated?.length !== 0
    for (const format of formatNames) {
      const file = await exportItems(engine, of, query, format, { guardFormulas: false })
      expect([format, file.truncated]).toEqual([format, isCut])
      const text = await new Response(file.body).text()
      if (format === 'csv') expectTable(text, list.data)
      else
        for (const reading of readings[format](text)) expect([format, reading]).toEqual([format, list.data])
    }
  })
})

const formatNames = Object.keys(formats) as (keyof typeof formats)[]

/** Which columns are JSON is seen by their cells: the strict proof of it is another test's. */
function expectTable(text: string, items: readonly Record<string, unknown>[]): void {
  const { header, rows: cells } = csvRows(text)
  const json = header.filter((_, index) => cells.some((row) => /^".*"$/s.test(row[index] ?? '')))
  expect(cells).toEqual(cellsOf(items, header, new Set(json)))
  for (const item of items)
    expect(new Set(header.map((column) => column.split('.')[0]))).toEqual(new Set(Object.keys(item)))
}

async function problemsOr<Result>(work: Promise<Result>): Promise<Result | { problems: unknown }> {
  try {
    return await work
  } catch (error) {
    if (isEngineError(error))
      return {
        problems: (error.errors ?? [error]).map(({ code, path, message }) => ({ code, path, message })),
      }
    throw error
  }
}
