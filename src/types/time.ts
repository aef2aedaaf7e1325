import { calendar, clock, momentText, readTime } from '../values/moment.ts'
import { type FamilyRow, sortable, type ValueTypes } from './family-row.ts'
import { like } from './json-schemas.ts'
import { temporal } from './temporal.ts'

const input = { anyOf: [like(clock), like(calendar)] }

/** Times of day, to the second. */
export const time = {
  ...temporal('a time such as 08:30:00', 1_000, readTime, momentText.time),
  fieldTypes: { time: { doc: 'A time of day: `08:30:00`.' } },
  groups: ['timed', ...sortable],
  inputSchemas: { time: input },
  operandSchema: input,
  // The formats "time" and "date-time" of JSON Schema require an offset.
  outputSchema: () => ({ type: 'string', pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}$' }),
} as const satisfies FamilyRow<number>

export interface TimeTypes {
  time: ValueTypes<string, string | Date, Date>
}
