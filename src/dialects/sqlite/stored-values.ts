import { type Family, isTemporal } from '../../types/families.ts'
import { shownElements, type ValueType } from '../../types/field-types.ts'
import type { Sql } from '../sql.ts'
import { sql } from '../sql.ts'
import { boundAsGiven, type Storing, storedDecimal, storedMoment } from '../stored-values.ts'
import { isCanonical, sqlText } from '../text-moments.ts'
import { encode } from './bind-values.ts'
import { truth } from './booleans.ts'
import { changing } from './documents.ts'
import { shownMoment } from './moments.ts'
import { addOf } from './sums.ts'

const asJson = (value: unknown) => JSON.stringify(value)

const storings: Partial<Record<Family, Storing['encode']>> = { json: asJson, geometry: asJson }

export function storing(type: ValueType): Storing {
  if (type.isArray) {
    // The value of an array field is a list.
    return { encode: (value) => JSON.stringify(shownElements(value as readonly unknown[], type)) }
  }
  const moment = momentStoring(type)
  if (moment) return moment
  if (type.family === 'decimal' && type.storage === 'text') return { encode: storedDecimal(type) }
  const own = storings[type.family]
  // Each family has read its own values, which are valid operands, too.
  const bind: Storing['encode'] = own ?? ((value) => encode(type, { at: value as object, exact: true }, '='))
  return {
    encode: bind,
    isAsGiven: boundAsGiven(type),
    ...(type.family === 'json' ? changing : addingTo(type)),
    ...(type.family === 'boolean' && !isCanonical(type) && { unlessShown: unlessEqual(truth) }),
  }
}

function addingTo(type: ValueType): Pick<Storing, 'add'> {
  const add = addOf(type)
  return add ? { add } : {}
}

function momentStoring(type: ValueType): Storing | undefined {
  const { family, storage } = type
  const usual = storedMoment(type)
  if (!usual || !isTemporal(family) || isCanonical(type)) return usual
  const unlessShown = unlessEqual((column) => shownMoment(column, type, family))
  return storage === 'sql'
    ? { encode: (value) => sqlText(family, Number(value)), unlessShown }
    : { ...usual, unlessShown }
}

/** The column where it shows the same as the new value, which is named once. */
const unlessEqual =
  (shown: (value: Sql) => Sql) =>
  (column: Sql, mark: Sql): Sql =>
    sql`(select case when ${shown(column)} = ${shown(input)} then ${column} else ${input} end from (select ${mark} as ${input}))`

const input = sql.raw('"_quernel_given"')
