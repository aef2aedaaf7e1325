/** The token in a header `Authorization`. */
export const bearerOf = (header: string | null | undefined): string | undefined =>
  /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1]
