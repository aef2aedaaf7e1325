// Common part of dates, times of day and timestamps: numbers of milliseconds, cut to a grain.
import { type Moment, snap } from '../values/moment.ts'
import { accepted, type FamilyRow, wrongType } from './family-row.ts'

/** Returns the part of a row that types of dates and times share. `text` is their form in results. */
export function temporal<const Grain extends number>(
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
