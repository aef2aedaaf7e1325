// Where our schema differs from those that the service printed: the decision, and the differences that it makes.
import type { Difference } from './schema-differences.ts'

export interface SchemaDeviation {
  /** The decision, in a sentence. */
  readonly decision: string
  /** The place of one of the differences. */
  readonly example: string
  readonly makes: (difference: Difference) => boolean
}

const withoutCursors = (one: Difference): Difference => ({
  ...one,
  is: one.is?.replace(', after: String, before: String', ''),
})

const typeOf = (member: string | undefined) => member?.replace(/^\(.*?\): /, '')
const isLike = (pattern: RegExp, text: string | undefined) => text !== undefined && pattern.test(text)
const becomes = ({ was, is }: Difference, before: RegExp, after: RegExp) =>
  isLike(before, typeOf(was)) && isLike(after, typeOf(is))
const isAbsent = ({ is }: Difference) => is === undefined
const isAdded = ({ was }: Difference) => was === undefined
const argumentsOf = (member: string | undefined) => member?.replace(/\): .*$/, ')')

const decisions: readonly SchemaDeviation[] = [
  {
    decision: 'Subscriptions take a filter.',
    example: 'Subscription.tags_mutated',
    makes: (one) =>
      /^Subscription\./.test(one.at) && isLike(/filter: \w+_filter\)/, one.is) && !isLike(/filter/, one.was),
  },
  {
    decision: 'Items of lists have a cursor, and lists and relations take them.',
    example: 'articles._cursor',
    makes: (one) => (isAdded(one) && /\._cursor$/.test(one.at)) || withoutCursors(one).is === one.was,
  },
  {
    decision: 'Scalars that every schema has are not printed.',
    example: 'Boolean',
    makes: (one) => isAbsent(one) && /^(Boolean|Float|ID|Int|String)$/.test(one.at),
  },
  {
    decision: 'What the caller may not read is absent, and no text that is always null.',
    example: 'articles.comments',
    makes: (one) =>
      isAbsent(one) &&
      !/^(create|update)_/.test(one.at) &&
      isLike(
        /^(String|string_filter_operators|count_functions|count_function_filter_operators)$/,
        typeOf(one.was),
      ) &&
      /\.(tags|comments|blocks|articles|sections|item)(_func)?$/.test(one.at),
  },
  {
    decision: 'Update and delete of unreadable collections are not offered.',
    example: 'Mutation.delete_things_item',
    makes: (one) =>
      isAbsent(one) && /^Mutation\.(update_ranked|delete_things)_|^update_ranked_input\b/.test(one.at),
  },
  {
    decision: 'A list of related items and each of its elements is there: `[T!]!`.',
    example: 'articles.children',
    makes: (one) => becomes(one, /^\[\w+\]$/, /^\[\w+!\]!$/) && argumentsOf(one.was) === argumentsOf(one.is),
  },
  {
    decision: 'Related items have sums, averages and extremes beside their count.',
    example: 'count_functions.sum',
    makes: (one) => isAdded(one) && /^count_functions\.(sum|avg|min|max)$/.test(one.at),
  },
  {
    decision: 'Counts and lists of deleted keys are never null.',
    example: 'articles_aggregated.countAll',
    makes: (one) =>
      /\.countAll$|_aggregated_count\.|^count_functions\.count$|^delete_many\.ids$/.test(one.at) &&
      becomes(one, /^(Int|\[ID\]!)$/, /^(Int!|\[ID!\]!)$/),
  },
  {
    decision: 'The key is nullable in singletons, in versioned collections and in versions.',
    example: 'site.id',
    makes: (one) => /^(pages|site|site_empty|version_\w+)\.id$/.test(one.at) && becomes(one, /^ID!$/, /^ID$/),
  },
  {
    decision: 'Nothing else is promised not to be null.',
    example: 'strict.need',
    makes: (one) =>
      /^(version_)?strict\.(need|zero)$/.test(one.at) && becomes(one, /^(String|Int)!$/, /^(String|Int)$/),
  },
  {
    decision: 'What has a default need not be given.',
    example: 'create_strict_input.zero',
    makes: (one) => one.at === 'create_strict_input.zero' && becomes(one, /^Int!$/, /^Int$/),
  },
  {
    decision: 'Updates add to numbers by an argument of their own.',
    example: 'increment_articles_input.views',
    makes: ({ at, was, is }) =>
      (was === undefined && /^increment_\w+_input\b/.test(at)) ||
      (/^Mutation\.update_\w+$/.test(at) && is?.replace(/, inc: increment_\w+_input/, '') === was),
  },
  {
    decision: 'Items are updated by unique values, or created.',
    example: 'Mutation.upsert_articles_item',
    makes: ({ at, was }) =>
      was === undefined && /^(?:upsert_\w+_input\b|Mutation\.upsert_\w+_items?$)/.test(at),
  },
  {
    decision: 'Inputs of operators come from the table of operators.',
    example: 'boolean_filter_operators._in',
    makes: (one) => /_filter_operators\b/.test(one.at) && (isAbsent(one) || isAdded(one)),
  },
  {
    decision: 'A column of UUIDs is one on every database.',
    example: 'vals.u',
    makes: (one) =>
      /\.(ref|u)$/.test(one.at) &&
      becomes(one, /^(String|string_filter_operators)$/, /^(ID|id_filter_operators)$/),
  },
  {
    decision: 'The least and the greatest are of dates and texts, too: a type of their own.',
    example: 'articles_aggregated.min',
    makes: (one) =>
      (isAdded(one) && /_aggregated_extremes\b|_aggregated\.(min|max)$/.test(one.at)) ||
      becomes(one, /_aggregated_fields$/, /_aggregated_extremes$/),
  },
  {
    decision:
      'Groups are kept by their aggregates: an argument `having`, with inputs of the names that answers have.',
    example: 'Query.articles_aggregated',
    makes: (one) =>
      (isAdded(one) && /_aggregated(_\w+)?_having\b/.test(one.at)) ||
      (/^Query\.\w+_aggregated$/.test(one.at) && /, having: \w+_having\)/.test(one.is ?? '')),
  },
  {
    decision: 'Related items are counted by their functions, not among the aggregates.',
    example: 'articles_aggregated_count.comments',
    makes: (one) =>
      isAbsent(one) &&
      /_aggregated_count\.(tags|comments|blocks|articles|children|sections|authors)$/.test(one.at),
  },
  {
    decision: 'A reference to several collections takes a key or an item.',
    example: 'create_articles_blocks_input.item',
    makes: (one) => /_articles_blocks(_input)?\.item$/.test(one.at) && becomes(one, /^String$/, /^JSON$/),
  },
  {
    decision: 'In versions, relations are what was saved, and there are no functions.',
    example: 'version_authors.born_func',
    makes: (one) =>
      /^version_/.test(one.at) &&
      (becomes(one, /^(String|Int)$/, /^JSON$/) || (isAbsent(one) && /_func$/.test(one.at))),
  },
  {
    decision: 'A reference to several collections leads to those that the caller may read.',
    example: 'articles_blocks.item',
    makes: (one) =>
      /^articles_blocks_item_union|\.item__\w+$/.test(one.at) || becomes(one, /^String$/, /_union$/),
  },
  {
    decision: 'Related items that may only be created or only be updated can be given; others cannot.',
    example: 'update_articles_input.tags',
    makes: (one) =>
      /^(create|update)_articles_input\.(tags|comments|blocks)$/.test(one.at) &&
      (isAbsent(one) || becomes(one, /^String$/, /^\[create_\w+_input\]$/)),
  },
  {
    decision: 'Collections of the service itself are collections like others.',
    example: 'Query.directus_users',
    makes: (one) => /\bdirectus_|_directus_/.test(one.at),
  },
]

/** Most lists take cursors, whatever else is decided about them. */
export const schemaDeviations: readonly SchemaDeviation[] = decisions.map((decision) => ({
  ...decision,
  makes: (one) => decision.makes(one) || decision.makes(withoutCursors(one)),
}))
