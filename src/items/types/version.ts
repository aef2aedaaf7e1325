/** Result, in which anything of a version may be null, because a draft need not be complete, and new items have no key yet. A raw version
 *  is returned as it was saved.
 *  @example type Draft = AnswerOf<{ version: 'draft' }, { title: string }> // { title: string | null } */
export type AnswerOf<Q, Answer> = Q extends unknown
  ? true extends Word<Q, 'versionRaw'>
    ? Record<string, unknown>
    : Word<Q, 'version'> extends 'main' | undefined
      ? Answer
      : Drafted<Answer>
  : never

type Word<Q, Name> = Name extends keyof Q ? Q[Name] : undefined

type Drafted<Answer> = Answer extends readonly (infer Element)[]
  ? DraftedValue<Element>[]
  : { [Name in keyof Answer]: DraftedValue<Answer[Name]> }

/** A list is never null, even if it is empty. */
type DraftedValue<Value> = Value extends readonly unknown[]
  ? Drafted<Value>
  : Value extends object
    ? Drafted<Value> | null
    : Value | null
