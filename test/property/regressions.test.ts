// Each case is named after what once was wrong. What is right, is what memory says and the rows show.
import { beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../support/databases.ts'
import { titled } from '../support/titled.ts'
import { type Filter, makeTable, type Table } from './table.ts'

interface Case {
  readonly title: string
  readonly filter: Filter
}

const cases: readonly Case[] = titled({
  'an empty _nin list matched rows without a value': { filter: { word: { _nin: [] } } },
  'a _nin list of fractions matched rows without a whole number': { filter: { small: { _nin: [1.5] } } },
  'a list with an empty binary matched rows without one': { filter: { bytes: { _in: [''] } } },
  'a whole JSON value was never empty, or always': { filter: { meta: { _empty: true } } },
  'a value inside JSON was always empty': { filter: { 'json(meta, a)': { _empty: true } } },
  'a fraction above the largest whole number failed the statement': {
    filter: { big: { _lt: '9223372036854775807.5' } },
  },
  'a text that is no label of an enum was neither more nor less than any': { filter: { mood: { _lt: 'm' } } },
  'an infinite moment was more than any other': { filter: { timestamp_usual: { _gt: '0001-01-01' } } },
  'an infinite day was a value': { filter: { date_usual: { _null: true } } },
  'the year of an infinite moment failed the statement': { filter: { 'year(datetime_usual)': { _gte: 1 } } },
  'a decimal that is no number was more than any other': { filter: { price: { _gt: 0 } } },
  'decimals stored as text failed the statement': { filter: { price_text: { _gte: '0.1' } } },
  'nothing came before the noon of the last day': { filter: { date_usual: { _lt: '9999-12-31T12:00:00' } } },
  'nothing came before the end of the last second': {
    filter: { datetime_text: { _lt: '9999-12-31T23:59:59.5' } },
  },
  'no time came before the end of the day': { filter: { time_text: { _lt: '23:59:59.5' } } },
  'text finer than a millisecond was rounded up': {
    filter: { timestamp_usual: { _eq: '2024-02-29T12:30:15.123Z' } },
  },
  'a list did not hold the large numbers in it': { filter: { ratio: { _in: [2 ** 63] } } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let table: Table
  beforeAll(async () => {
    const opened = await open()
    table = await makeTable(name, opened.db)
  })

  it.each(cases)('no more: $title', async ({ filter }) => {
    const ids = await table.byWhere(filter)
    expect(ids).toEqual(table.inMemory(filter))
    expect(ids).not.toEqual([])
    expect(ids).toHaveProperty('length')
    expect(ids.length).toBeLessThan(table.last)
  })
})
