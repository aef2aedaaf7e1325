/** Under this property a connection of ours tells whether a transaction goes on, without being asked by a statement. */
export const goesOn: unique symbol = Symbol.for('quernel.goesOn')

/** Undefined where a connection does not tell. */
export const isGoingOn = (connection: object): boolean | undefined =>
  tells(connection) ? connection[goesOn]() : undefined

const tells = (connection: object): connection is { readonly [goesOn]: () => boolean } => goesOn in connection
