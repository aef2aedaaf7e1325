// Fields that most schemas of tests have, in a word each. What is nullable here is so in its table, too.

export const key = { type: 'integer', key: true } as const
export const string = { type: 'string' } as const
export const integer = { type: 'integer' } as const
/** A string that may be null. */
export const text = { type: 'string', nullable: true } as const
/** An integer that may be null. */
export const number = { type: 'integer', nullable: true } as const
export const json = { type: 'json', nullable: true } as const
export const moment = { type: 'timestamp', nullable: true } as const

/** A reference to an item of a collection, and one that may be null. */
export const one = <const To extends string>(to: To) => ({ type: 'm2o', to }) as const
export const maybeOne = <const To extends string>(to: To) => ({ type: 'm2o', to, nullable: true }) as const

/** The items that refer back by a field, as `articles.author`. */
export const many = <const From extends string>(from: From) => ({ type: 'o2m', from }) as const

/** The items on the other side of a junction, by the fields of the two sides, as `articles_tags.article` and `tag`. */
export const across = <const Through extends string, const To extends string>(through: Through, to: To) =>
  ({ type: 'm2m', through, to }) as const
