/** True for a name that can be had in GraphQL. No name of a schema begins with `_`, as those of filters and of GraphQL itself do. */
export const isGraphQLName = (name: string): boolean => /^[A-Za-z][_0-9A-Za-z]*$/.test(name)
