// Steps that log a written row on every database, in the order in which a write takes them.

/** `row`: the row whose key is logged; the values of an old one are logged with it. `isMoved`: only where the key has changed. */
export const logSteps = [
  { on: 'insert', operation: 'c', row: 'new', isMoved: false },
  { on: 'update', operation: 'u', row: 'old', isMoved: false },
  { on: 'update', operation: 'c', row: 'new', isMoved: true },
  { on: 'delete', operation: 'd', row: 'old', isMoved: false },
] as const

export type LogStep = (typeof logSteps)[number]
