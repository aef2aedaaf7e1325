import { calendar, day, momentText, readMoment } from '../values/moment.ts'
import { type FamilyRow, sortable, type ValueTypes } from './family-row.ts'
import { like } from './json-schemas.ts'
import { temporal } from './temporal.ts'

/** Days. */
export const date = {
  ...temporal('a date such as 2024-02-29', day, readMoment, momentText.date),
  fieldTypes: { date: { doc: 'A day: `2024-02-29`.' } },
  groups: ['dated', ...sortable],
  inputSchemas: { date: like(calendar) },
  operandSchema: like(calendar),
  outputSchema: () => ({ type: 'string', format: 'date' }),
} as const satisfies FamilyRow<number>

export interface DateTypes {
  date: ValueTypes<string, string | Date, Date>
}
