/** The property under which a connection of ours returns, without a statement, whether a transaction is open. */
export const goesOn: unique symbol = Symbol.for('quernel.goesOn')

/** True if a transaction is open; undefined if the connection does not know. */
export const isGoingOn = (connection: object): boolean | undefined =>
  tells(connection) ? connection[goesOn]() : undefined

const tells = (connection: object): connection is { readonly [goesOn]: () => boolean | undefined } =>
  goesOn in connection
