// What may be there already: a database in the same process answers at once. To wait for it all the same costs a promise and a turn of the
// queue at each step, which is more than a small statement takes.

export type Soon<Value> = Value | Promise<Value>

/** Goes on with a value once it is there. */
export const next = <From, To>(value: Soon<From>, go: (value: From) => Soon<To>): Soon<To> =>
  value instanceof Promise ? value.then(go) : go(value)

/** Does something, and something else where it fails. */
export function unlessFailed<Value>(
  work: () => Soon<Value>,
  failed: (error: unknown) => Soon<Value>,
): Soon<Value> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}
