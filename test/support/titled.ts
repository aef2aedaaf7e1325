// Cases of tests, each under its title.

/** Cases that have their titles as a member. */
export const titled = <Case extends { readonly title: string }>(
  cases: Readonly<Record<string, Omit<Case, 'title'>>>,
): readonly Case[] =>
  // A case is what it is without its title, and its title.
  Object.entries(cases).map(([title, one]) => ({ title, ...one }) as unknown as Case)

/** Rows for `it.each`, which begin with their titles. */
export const rowsOf = <const Row extends readonly unknown[]>(
  rows: Readonly<Record<string, Row>>,
): [title: string, ...Row][] => Object.entries(rows).map(([title, row]) => [title, ...row])
