// Where our answers differ from those that the service gave: the decision, and the requests that it is about.

export interface AnswerDeviation {
  /** The decision, in a sentence. */
  readonly decision: string
  readonly ids: readonly string[]
}

export const answerDeviations: readonly AnswerDeviation[] = [
  {
    decision: 'Hashes are shown as a mask, and an empty concealed text as it is.',
    ids: ['vals-all', 'vals-user'],
  },
  {
    decision: 'Null comes last, and first when descending, on every database.',
    ids: [
      'ranked-default-order',
      'nested-sort-rel',
      'sort-desc',
      'sort-rel',
      'sort-o2m',
      'sort-json-path',
      'agg-group',
      'agg-group-nosort',
      'agg-group-two',
      'agg-group-func',
      'agg-group-m2o',
      'agg-group-only',
      'agg-group-limit',
      'agg-group-page',
      'agg-group-month',
      'agg-group-date',
      'agg-var-group',
      'agg-sort-countAll',
      'agg-sort-count-id',
      'agg-sort-group-desc',
    ],
  },
  {
    decision:
      'A response key names what is shown, and has no influence on what is sorted, grouped or shown elsewhere.',
    ids: [
      'alias-named-as-other-field',
      'alias-swap-mutation',
      'alias-vs-sort',
      'sort-alias',
      'alias-sort-nested',
    ],
  },
  { decision: 'Fields of one response key are merged.', ids: ['merge-dup-root', 'agg-alias-count-two'] },
  {
    decision: 'Operators without an "i" tell apart upper and lower case.',
    ids: ['var-whole-filter', 'f-str-starts'],
  },
  { decision: '"page" and "offset" exclude each other.', ids: ['page-and-offset'] },
  {
    decision: 'What GraphQL coerces to a list or to null is legal.',
    ids: ['f-and-single-object', 'f-null-op'],
  },
  { decision: 'Groups are made by paths of related items, too.', ids: ['agg-group-rel-path'] },
  { decision: 'Functions of times are numbers of the time.', ids: ['func-time'] },
  { decision: 'A number of rows can be sorted by.', ids: ['agg-sort-agg'] },
  {
    decision: 'Rows are counted once, however many related items match.',
    ids: ['agg-filter-o2m', 'agg-count-empty'],
  },
  {
    decision: 'Conditions on related items are each about some item.',
    ids: ['f-o2m-some-and', 'f-o2m-null'],
  },
  {
    decision: 'A version shows the items of a relation that it creates, without keys.',
    ids: ['version-by-id'],
  },
  {
    decision: 'What the caller may not read is absent.',
    ids: [
      'user-m2m-field-is-string',
      'user-comments-as-string',
      'sort-user-count-unreadable',
      'unreadable-count-filter',
    ],
  },
  {
    decision: 'The schema is ours where it is better on purpose.',
    ids: [
      'intro-root-names',
      'intro-type-articles',
      'intro-filter-string',
      'intro-filter-articles',
      'intro-directives',
      'writer-item-selection',
    ],
  },
  {
    decision: 'Mistakes in queries are errors.',
    ids: ['f-or-empty', 'bad-date', 'between-one', 'in-null', 'singleton-by-version-unknown'],
  },
  { decision: 'An empty order is none.', ids: ['sort-empty-string'] },
  { decision: 'Geometry is stored as text on SQLite.', ids: ['geometry-sqlite'] },
  { decision: 'All items that are written are returned.', ids: ['create-many-readargs'] },
  {
    decision: 'References to any collection take keys and items, and are answered after a write.',
    ids: [
      'create-nested-m2a',
      'create-m2a-existing',
      'm2a-selection-after-create',
      'm2a-selection-after-update',
    ],
  },
  {
    decision: 'Updates and deletions of what may not be read are not offered.',
    ids: ['update-no-read', 'update-items-no-read', 'delete-writer'],
  },
  {
    decision: 'A mutation is written as a whole or not at all.',
    ids: [
      'two-mutations-second-fails',
      'e-update-unknown',
      'e-unique-key',
      'e-update-null',
      'e-bad-date',
      'delete-articles-with-children',
    ],
  },
  {
    decision: 'Unknown keys are errors.',
    ids: ['e-update-items-unknown', 'e-delete-unknown', 'e-delete-items-unknown'],
  },
  { decision: 'Large integers are also taken as numbers.', ids: ['e-bigint-number'] },
]
