import { keyAsText } from '../key.ts'
import type { ShownAs } from './read-plan.ts'

/** Shows a value in another form than that of its type. */
export const shownAs = {
  key: keyAsText,
  number: (value) => (value === null || value === undefined ? null : Number(value)),
} as const satisfies Record<ShownAs, (value: unknown) => unknown>
