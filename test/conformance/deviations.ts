// Where the recorded answers and ours differ: the sentence that decides it, and what is answered instead.

/** A sentence of the decisions or of the contract, and by the name of each recorded request what it makes of it. */
export interface Deviation {
  readonly sentence: string
  readonly answers: Readonly<Record<string, unknown>>
}

const ids = (...keys: readonly number[]) => ({ data: keys.map((id) => ({ id })) })

export const deviations: readonly Deviation[] = [
  {
    sentence: 'bad syntax, type, range, operator, unknown parameter | INVALID_QUERY',
    answers: {
      'q2.backlink_0': 'INVALID_QUERY',
      'q2.backlink_bad': 'INVALID_QUERY',
      'q4.array': 'INVALID_QUERY',
      'q6.aggregate[foo]=id': 'INVALID_QUERY',
      'q7.bad_json': 'INVALID_QUERY',
      'q1b.sort_object': 'INVALID_QUERY',
      'q1b.deep_array': 'INVALID_QUERY',
    },
  },
  {
    sentence: '`limit=` (empty) and `page=0` are errors',
    answers: { 'q1.limit_empty': 'INVALID_QUERY', 'q1.page_0': 'INVALID_QUERY' },
  },
  {
    sentence: 'Integers: strict grammar.',
    answers: {
      'q1b.page_empty': 'INVALID_QUERY',
      'q1b.offset_empty': 'INVALID_QUERY',
      'q1b.pk_hex': 'NOT_FOUND',
    },
  },
  {
    sentence: 'Numbers as keys have one written form in addresses and key lists',
    answers: { 'q1b.pk_lead0': 'NOT_FOUND' },
  },
  {
    sentence: '`_or: []` is an error everywhere',
    answers: { 'q3.or_empty': 'INVALID_QUERY', 'q3.empty_and_nested': 'INVALID_QUERY' },
  },
  { sentence: '`page` with `offset` is an error', answers: { 'q7.page_offset': 'INVALID_QUERY' } },
  {
    sentence: '`__proto__`, `constructor`, `prototype` as keys are errors.',
    answers: { 'q1b.proto': 'INVALID_QUERY' },
  },
  {
    sentence: 'A suffix on a scalar (`title.x`) and an unknown prefix (`nope.x`) are FORBIDDEN',
    answers: { 'q2b.fields_deep_beyond_scalar': 'FORBIDDEN' },
  },
  {
    sentence: 'Names *inside* a query (relation, m2a scope, `$FOLLOW` target) are always FORBIDDEN 403.',
    answers: { 'q2.m2a_scoped_unknown': 'FORBIDDEN' },
  },
  {
    sentence: 'Aliases can hold functions … and can appear inside `deep` via `_alias`. (contract)',
    answers: {
      'q2.deep_alias': { data: [{ id: 1, articles: [{ t: 'Hello World' }, { t: 'hello again' }] }] },
      'q2.deep_alias_fn': { data: [{ id: 1, articles: [{ y: 2023 }, { y: 2023 }] }] },
      'q2b.m2a_alias_scoped': {
        data: [
          {
            blocks: [
              { item: '00000000-0000-4000-8000-000000000101' },
              { item: { h: 'Hero One' } },
              { item: { h: 'Hero Two' } },
            ],
          },
        ],
      },
    },
  },
  {
    sentence: 'A null inside `_in`, `_nin`, `_between` is INVALID_QUERY.',
    answers: {
      'q1.in_with_null': 'INVALID_QUERY',
      'q3b.in_nested_null_str': 'INVALID_QUERY',
      'q1.between_null': 'INVALID_QUERY',
    },
  },
  {
    sentence: '`_between` takes exactly two values, inclusive; anything else is an error.',
    answers: { 'q1.between_one': 'INVALID_QUERY' },
  },
  {
    sentence: 'Text matching is literal (`%`, `_`, `\\` mean themselves).',
    answers: { 'q3.s._icontains.20': ids(5), 'q3.s._starts_with.21': ids() },
  },
  { sentence: 'To-many: one EXISTS per condition object.', answers: { 'q3.o2m_null_id': ids() } },
  {
    sentence: 'Conditions in one object hold for the **same** related item; … `_some` is the default',
    answers: { 'q3b.some_two_and': ids(1), 'q3b.some_two_ops_one_field': ids(1) },
  },
  {
    sentence: 'The key is always the last tie-breaker, in the direction of the last sort key.',
    answers: { 'q5.sort_-count(comments)': ids(1, 5, 2, 6, 4, 3) },
  },
  {
    sentence: 'Numbers and uuids are not matched: a named deviation from the recorded answers',
    answers: {
      'q4.s_42': ids(5, 6),
      'q4.s_1.5': ids(),
      'q4.s_10.5': ids(),
      'q4.s_-7': ids(),
      'q4.s_9007199254740993': ids(),
    },
  },
  {
    sentence: '`search`: the trimmed text, case-insensitively, as a literal substring',
    answers: { 'q4.s__': ids(2, 3) },
  },
  {
    sentence: '`*` = these plus `limit`, `offset`, `page`, `page_count` and `truncated`.',
    answers: {
      'q3.o2m_dup_meta': {
        ...ids(1, 2, 5),
        meta: {
          total_count: 6,
          filter_count: 3,
          limit: 100,
          offset: 0,
          page: 1,
          page_count: 1,
          truncated: [],
        },
      },
      'q6.aggregate[count]=*&meta=*': {
        data: [{ count: 6 }],
        meta: {
          total_count: 6,
          filter_count: 6,
          limit: 100,
          offset: 0,
          page: 1,
          page_count: 1,
          truncated: [],
        },
      },
    },
  },
  {
    sentence: 'levels chain by relation or alias name. … any unknown key is an error.',
    answers: {
      'q7.unknown_key': 'FORBIDDEN',
      'q7.no_under': 'INVALID_QUERY',
      'q7.count_deep': 'INVALID_QUERY',
    },
  },
  {
    sentence: 'Unknown version or collection not versioned: 404. On lists: INVALID_QUERY.',
    answers: {
      'q12b.ver_one_published': 'NOT_FOUND',
      'q12b.ver_list_main': 'INVALID_QUERY',
      'q12b.ver_nonversioned_list': 'INVALID_QUERY',
    },
  },
]
