/** Returns the token in an `Authorization` header. */
export const bearerOf = (header: string | null | undefined): string | undefined =>
  /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1]
