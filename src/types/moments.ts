import {
  calendar,
  clock,
  day,
  type Moment,
  momentText,
  readMoment,
  readTime,
  snap,
} from '../values/moment.ts'
import { accepted, type FamilyRow, sortable, type ValueTypes, wrongType } from './family-row.ts'
import { like } from './json-schemas.ts'

export const date = {
  ...temporal('a date such as 2024-02-29', day, readMoment, momentText.date),
  fieldTypes: { date: {} },
  groups: ['dated', ...sortable],
  inputSchemas: { date: like(calendar) },
  operandSchema: like(calendar),
  outputSchema: () => ({ type: 'string', format: 'date' }),
} as const satisfies FamilyRow<number>

export interface DateTypes {
  date: ValueTypes<string, string | Date, Date>
}

/** Timestamps, in UTC wherever they are shown, to the millisecond. */
export const timestamp = {
  ...temporal('a timestamp such as 2024-02-29T08:30:00Z', 1, readMoment, momentText.timestamp),
  fieldTypes: { timestamp: {} },
  groups: ['dated', 'timed', ...sortable],
  inputSchemas: { timestamp: like(calendar) },
  operandSchema: like(calendar),
  outputSchema: () => ({ type: 'string', format: 'date-time', pattern: 'Z$' }),
} as const satisfies FamilyRow<number>

export interface TimestampTypes {
  timestamp: ValueTypes<string, string | Date, Date>
}

/** A day and a time without a zone, to the second. */
export const dateTime = {
  ...temporal('a date and time such as 2024-02-29T08:30:00', 1_000, readMoment, momentText.dateTime),
  fieldTypes: { dateTime: {} },
  groups: ['dated', 'timed', ...sortable],
  inputSchemas: { dateTime: like(calendar) },
  operandSchema: like(calendar),
  outputSchema: () => ({
    type: 'string',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$',
  }),
} as const satisfies FamilyRow<number>

export interface DateTimeTypes {
  dateTime: ValueTypes<string, string | Date, Date>
}

const input = { anyOf: [like(clock), like(calendar)] }

/** Times of day, to the second. */
export const time = {
  ...temporal('a time such as 08:30:00', 1_000, readTime, momentText.time),
  fieldTypes: { time: {} },
  groups: ['timed', ...sortable],
  inputSchemas: { time: input },
  operandSchema: input,
  // The formats "time" and "date-time" of JSON Schema require an offset.
  outputSchema: () => ({ type: 'string', pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}$' }),
} as const satisfies FamilyRow<number>

export interface TimeTypes {
  time: ValueTypes<string, string | Date, Date>
}

// Common part of dates, times of day and timestamps: numbers of milliseconds, cut to a grain.

/** Returns the part of a row that types of dates and times share. `text` is their form in results. */
function temporal<const Grain extends number>(
  expects: string,
  grain: Grain,
  read: (input: unknown) => Moment | undefined,
  text: (at: number) => string,
) {
  const operand = (input: unknown) => {
    const moment = read(input)
    return moment && snap(moment, grain)
  }
  return {
    expects,
    operand,
    compare: (left: number, right: number) => left - right,
    // A value is cut to the precision of the field.
    store: (input) => {
      const at = operand(input)?.at
      return at === undefined ? wrongType(expects) : accepted(at)
    },
    // A column that counts seconds stores nothing finer.
    show: (value, { storage }) => {
      const unit = storage === 'seconds' ? 1_000 : 1
      return text(Math.floor(Number(value) / unit) * unit)
    },
    showInList: (value) => text(Number(value)),
    storages: ['text', 'canonical', 'sql', 'seconds', 'milliseconds', 'native'],
    grain,
    key: { isNamedSo: () => true },
    elementSchema: () => ({ type: 'string' }),
    exportKind: 'text',
  } as const satisfies Partial<FamilyRow<number>>
}
