import { calendar, momentText, readMoment } from '../values/moment.ts'
import { type FamilyRow, sortable, type ValueTypes } from './family-row.ts'
import { like } from './json-schemas.ts'
import { temporal } from './temporal.ts'

/** A day and a time without a zone, to the second. */
export const dateTime = {
  ...temporal('a date and time such as 2024-02-29T08:30:00', 1_000, readMoment, momentText.dateTime),
  fieldTypes: { dateTime: { doc: 'A day and a time without a zone: `2024-02-29T08:30:00`.' } },
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
