import { calendar, momentText, readMoment } from '../values/moment.ts'
import { type FamilyRow, sortable, type ValueTypes } from './family-row.ts'
import { like } from './json-schemas.ts'
import { temporal } from './temporal.ts'

/** Timestamps, in UTC wherever they are shown, to the millisecond. */
export const timestamp = {
  ...temporal('a timestamp such as 2024-02-29T08:30:00Z', 1, readMoment, momentText.timestamp),
  fieldTypes: { timestamp: { doc: 'A timestamp, in UTC: `2024-02-29T08:30:00.000Z`.' } },
  groups: ['dated', 'timed', ...sortable],
  inputSchemas: { timestamp: like(calendar) },
  operandSchema: like(calendar),
  outputSchema: () => ({ type: 'string', format: 'date-time', pattern: 'Z$' }),
} as const satisfies FamilyRow<number>

export interface TimestampTypes {
  timestamp: ValueTypes<string, string | Date, Date>
}
