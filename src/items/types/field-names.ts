// Types that parse names: lists of them, the first step of a path, its tail, and its name in a result.

import type { RelatedAggregateName } from '../../vocabulary/functions.ts'

/** Names in a list, as a union: never if it is empty, and `string` if the compiler does not see them. */
export type NamesIn<List> = List extends string
  ? Split<List>
  : List extends readonly (infer Text extends string)[]
    ? number extends List['length']
      ? string
      : Split<Text>
    : never

/** Splits text at commas, but not inside parentheses: `json(meta, a)` is one name. */
type Split<Text extends string, Done = never> = Text extends `${infer Name},${infer Rest}`
  ? Name extends `${string}(${string}`
    ? Name extends `${string})${string}`
      ? Split<Rest, Done | Trim<Name>>
      : Text extends `${infer Call})${infer Behind}`
        ? SplitBehind<Behind, Done | Trim<`${Call})`>>
        : Done | Trim<Text>
    : Split<Rest, Done | Trim<Name>>
  : Done | Exclude<Trim<Text>, ''>

type SplitBehind<Text extends string, Done> = Text extends `${string},${infer Rest}`
  ? Split<Rest, Done>
  : Done

export type Trim<Text> = Text extends `${Blank}${infer Rest}`
  ? Trim<Rest>
  : Text extends `${infer Rest}${Blank}`
    ? Trim<Rest>
    : Text

type Blank = ' ' | '\n' | '\t' | '\r'

/** Paths with their function at the end: `year(author.born)` is `author.year(born)`. */
export type Straight<Path> = Path extends `${infer Before}(${infer Inside}` ? Moved<Before, Inside> : Path

type Moved<
  Before extends string,
  Inside extends string,
  Relations extends string = '',
> = Before extends `${infer Step}.${infer Rest}`
  ? Moved<Rest, Inside, `${Relations}${Step}.`>
  : Inside extends `${infer Step}.${infer Rest}`
    ? Step extends `${string},${string}` // a path inside a JSON value, which stays
      ? `${Relations}${Before}(${Inside}`
      : Before extends RelatedAggregateName
        ? Rest extends `${string}.${string}`
          ? Moved<Before, Rest, `${Relations}${Trim<Step>}.`>
          : `${Relations}${Before}(${Inside}` // its relation and its field stay together
        : Moved<Before, Rest, `${Relations}${Trim<Step>}.`>
    : `${Relations}${Before}(${Inside}`

/** First step of each path, without its scope: `author` of `author.name`, `item` of `item:heroes.title`. */
export type HeadOf<Path> = Path extends `${infer Before}(${string}`
  ? Before extends `${infer Head}.${string}`
    ? Unscoped<Head>
    : Path
  : Path extends `${infer Head}.${string}`
    ? Unscoped<Head>
    : Unscoped<Path>

type Unscoped<Step> = Step extends `${infer Name}:${string}` ? (Name extends '' ? Step : Name) : Step

/** Rest of a path behind its first step; behind one with a scope, from its colon on. */
export type TailOf<Path, Head extends string> = Path extends `${Head}.${infer Tail}`
  ? Tail
  : Path extends `${Head}:${infer Tail}`
    ? `:${Tail}`
    : never

/** Name of a step in a result: `published_at_year` for `year(published_at)`. */
export type AnswerName<Step> = Step extends `${infer Word}(${infer Inside})`
  ? Inside extends `${infer Field},${infer Path}`
    ? `${Trim<Field>}_${Underscored<Path>}_${Word}`
    : Inside extends `${infer Relation}.${infer Field}`
      ? `${Trim<Relation>}_${Trim<Field>}_${Word}`
      : `${Trim<Inside>}_${Word}`
  : Step

/** Path into a JSON value as part of a name: `items_0_name` for `items[0].name`. */
type Underscored<
  Path extends string,
  Done extends string = '',
  Gap extends string = '',
> = Path extends `${infer Sign}${infer Rest}`
  ? Sign extends Blank | '.' | '[' | ']' | ',' | '"'
    ? Underscored<Rest, Done, Done extends '' ? '' : '_'>
    : Underscored<Rest, `${Done}${Gap}${Sign}`>
  : Done
