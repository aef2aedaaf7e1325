/** True for a name that can be had in GraphQL. No name of a schema begins with `_`, as those of filters and of GraphQL itself do. */
export const isGraphQLName = (name: string): boolean => /^[A-Za-z][_0-9A-Za-z]*$/.test(name)

/** Returns the nearest name of ASCII letters, digits and `_`: `Order Details` → `Order_Details`. Undefined if no letter begins it. */
export function fittingName(name: string): string | undefined {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  const fitting = plain.replace(/[^0-9A-Za-z]+/g, '_').replace(/^_|_$/g, '')
  return isGraphQLName(fitting) ? fitting : undefined
}
