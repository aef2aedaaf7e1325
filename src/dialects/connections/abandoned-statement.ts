/** The property under which a connection of ours ends the wait for its statement, which may run on without its caller. */
export const abandon: unique symbol = Symbol.for('quernel.abandon')

/** Returns the function that abandons the statement of a connection; undefined where a statement runs to its end. */
export const abandonerOf = (connection: object): ((reason: unknown) => void) | undefined =>
  canAbandon(connection) ? (reason) => connection[abandon](reason) : undefined

const canAbandon = (connection: object): connection is { readonly [abandon]: (reason: unknown) => void } =>
  abandon in connection
