// Values that are there at once, or later: a promise and a turn of the queue cost more than a small statement.

export type Soon<Value> = Value | Promise<Value>

/** Goes on with a value: at once, or when it is there. */
export const soon = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Runs work, and `fail` with its error if it fails, at once or later. */
export function orElse<Result>(
  work: () => Soon<Result>,
  fail: (error: unknown) => Soon<Result>,
): Soon<Result> {
  try {
    const result = work()
    return result instanceof Promise ? result.catch(fail) : result
  } catch (error) {
    return fail(error)
  }
}
