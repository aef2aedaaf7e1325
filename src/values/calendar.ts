import { day } from './moment.ts'

/** The week of the year by ISO 8601: weeks start on Monday, and the first one has the year's first Thursday. */
export function weekOf(clock: Date): number {
  const fromMonday = (clock.getUTCDay() + 6) % 7
  const thursday = new Date(clock.getTime() + (3 - fromMonday) * day)
  const firstOfYear = new Date(0)
  firstOfYear.setUTCFullYear(thursday.getUTCFullYear(), 0, 1)
  return Math.floor((thursday.getTime() - firstOfYear.getTime()) / (7 * day)) + 1
}

/** Adds whole months to a date; a day that the target month lacks becomes its last. */
export function addMonths(from: Date, months: number): Date {
  const moved = new Date(from)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  if (moved.getUTCDate() !== from.getUTCDate()) moved.setUTCDate(0)
  return moved
}
