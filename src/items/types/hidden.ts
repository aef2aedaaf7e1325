// Parameters of a level that the compiler cannot see: some of them may be there or not, so the shape of the items is unknown.

/** True if one of the parameters may be absent. */
export type IsHidden<Level, Word> = Level extends HiddenLevel
  ? true
  : MayBeUndefined<Level | Level[keyof Level & Word]> extends true
    ? true
    : IsOptional<Level, keyof Level & Word>

/** Parameters of a level that may be absent itself. */
export interface HiddenLevel {
  readonly [hidden]: true
}
declare const hidden: unique symbol

// Without `strictNullChecks` undefined is in every type, and says nothing.
type MayBeUndefined<Type> = undefined extends 0 ? false : undefined extends Type ? true : false

/** True if one of the names is optional. */
type IsOptional<Level, Name extends keyof Level> = true extends {
  [Each in Name]: Record<never, never> extends Pick<Level, Each> ? true : false
}[Name]
  ? true
  : false
