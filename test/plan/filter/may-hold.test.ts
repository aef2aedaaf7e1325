// Bounds of numbers, for which a matcher of rows has a way of its own.
import { expect, it } from 'vitest'
import { defineSchema } from '../../../src/index.ts'
import { KnownValues, rowMatcher } from '../../../src/plan/filter/may-hold.ts'
import { predicateOf } from '../../../src/plan/write/validate-item.ts'
import { defaultLimits } from '../../../src/query/limits.ts'
import { readFilter } from '../../../src/query/read-filter.ts'
import { newReader } from '../../../src/query/reader.ts'
import { utc } from '../../../src/values/zone.ts'
import { integer, key } from '../../support/fields.ts'

const schema = defineSchema({ notes: { fields: { id: key, views: integer } } })
const notes = schema.collections.get('notes')
const context = {
  schema,
  circumstances: { now: new Date(0), caller: {} },
  setting: { zone: utc, negationMatchesNull: false },
}

it.each([
  [{ _lt: 5 }, [4]],
  [{ _lte: 5 }, [4, 5]],
  [{ _gt: 5 }, [6]],
  [{ _gte: 5 }, [5, 6]],
  [{ _eq: 5 }, [5]],
  [{ _between: [4, 5] }, [4, 5]],
  [{ _nbetween: [4, 5] }, [6]],
  [{ _in: [4, 6] }, [4, 6]],
])('%j holds for %j of 4, 5 and 6', (test, expected) => {
  if (!notes) throw new Error('There are no notes.')
  const node = readFilter({ views: test }, [], newReader(defaultLimits, false))
  const { mayHold } = rowMatcher(predicateOf(notes, node, context), {
    negationMatchesNull: false,
    isComparable: () => true,
  })
  expect([4, 5, 6].filter((views) => mayHold(new KnownValues(new Map([['views', BigInt(views)]]))))).toEqual(
    expected,
  )
})
