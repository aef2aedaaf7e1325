// Deltas that can be promoted, of every kind that an update takes.
import fc from 'fast-check'

const word = fc.constantFrom('Tea', 'äther', 'Zoo', 'b', 'Good 😀', 'a%_')
const small = fc.integer({ min: -3, max: 99 })
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 4 })
const some = <Model extends Record<string, fc.Arbitrary<unknown>>>(model: Model) =>
  fc.record(model, { requiredKeys: [] })
const key = (most: number) => fc.integer({ min: 1, max: most })

/** Wherever an item is changed, it is changed alike: which of two values it has in the end is another matter. */
const changed = (name: string, most: number) => key(most).map((id) => ({ id, [name]: `Changed ${id}` }))

const author = fc.oneof(
  key(3),
  fc.record({ name: word, born: orNull(fc.constantFrom('1900-01-01', '2000-12-31')) }),
  changed('name', 3),
  fc.record({
    id: key(3),
    articles: fc.record({ create: fc.array(fc.record({ title: word }), { maxLength: 2 }) }),
  }),
)

const comment = some({ text: orNull(word), likes: orNull(small), writer: orNull(author) })
const note = some({ text: orNull(word), position: orNull(small) })
const tag = fc.oneof(key(3), fc.record({ name: word }), changed('name', 3))
const block = fc.oneof(
  fc.record({ kind: fc.constant('heroes'), item: fc.oneof(key(2), fc.record({ headline: word })) }),
  fc.record({ kind: fc.constant('heroes'), item: changed('headline', 2) }),
  fc.record({
    kind: fc.constant('quotes'),
    item: fc.oneof(fc.constant('q1'), fc.constantFrom({ id: 'q1', text: 'Q1' }, { id: 'q2', text: 'Q2' })),
  }),
)

/** A complete set, or changes; `own` are the children that are there, `all` those that could be taken in. */
function children<Item extends object>(item: fc.Arbitrary<Item>, own: number, all: number) {
  const keyed = (keys: readonly number[]) =>
    fc.tuple(...keys.map((id) => item.map((fields) => ({ id, ...fields }))))
  const kept = fc.subarray(Array.from({ length: all }, (_, index) => index + 1))
  const whole = fc
    .tuple(kept, fc.array(item, { maxLength: 2 }), fc.boolean())
    .chain(([keys, made, isKeyed]) =>
      isKeyed ? keyed(keys).map((items) => [...items, ...made]) : fc.constant([...keys, ...made]),
    )
  const details = fc
    .tuple(
      fc.array(item, { maxLength: 2 }),
      fc.subarray(Array.from({ length: own }, (_, index) => index + 1)),
    )
    .chain(([create, keys]) =>
      fc
        .integer({ min: 0, max: keys.length })
        .chain((at) =>
          keyed(keys.slice(at)).map((update) => ({ create, update, delete: keys.slice(0, at) })),
        ),
    )
  return fc.oneof(whole, details, fc.constant(null))
}

export const delta = some({
  title: word,
  status: fc.constantFrom('draft', 'published'),
  views: orNull(small),
  big: orNull(fc.constantFrom('-9007199254740993', '7')),
  price: orNull(fc.constantFrom('12.5', 3, '-0.01')),
  rating: orNull(fc.constantFrom(0.5, -1, 3)),
  live: orNull(fc.boolean()),
  day: orNull(fc.constantFrom('2023-01-31', '2024-06-01T12:00:00Z')),
  at: orNull(fc.constantFrom('2023-01-31T23:59:59.999Z', '2024-06-01T12:00:00+02:00')),
  words: orNull(fc.constantFrom(['a', 'b'], ['a'])),
  meta: orNull(fc.constantFrom({ size: { w: 9 } }, { list: [1] }, [1, 2], 'text')),
  pin: orNull(word),
  author: orNull(author),
  editor: orNull(author),
  comments: children(comment, 3, 5),
  notes: children(note, 2, 3),
  tags: children(fc.record({ tag }), 2, 3),
  blocks: children(block, 2, 2),
})

export const queries: readonly object[] = [
  {},
  { fields: ['*.*'] },
  { fields: ['*.*.*'], backlink: false },
  {
    fields: [
      'title',
      'count(comments)',
      'month(at)',
      'weekday(day)',
      'count(meta)',
      'json(meta, size.w)',
      'n',
    ],
    alias: { n: 'views' },
  },
  {
    fields: ['comments.text', 'comments.likes', 'comments.writer.name'],
    deep: { comments: { _filter: { likes: { _gte: 1 } }, _sort: ['-likes', 'text'], _limit: 2 } },
  },
  {
    fields: ['comments.id', 'comments.text', 'best.writer'],
    alias: { best: 'comments' },
    deep: {
      comments: { _filter: { writer: { name: { _nnull: true } } }, _sort: 'writer.name', _offset: 1 },
      best: { _sort: '-text', _limit: 1 },
    },
  },
  {
    fields: ['notes.text', 'notes.position', 'notes.article.title'],
    deep: { notes: { _page: 2, _limit: 1 } },
  },
  {
    fields: ['tags.tag.name', 'tags.position', 'tags.tag.links'],
    deep: { tags: { _filter: { tag: { name: { _in: ['hot', 'b', 'Zoo', 'Tea'] } } }, _sort: '-tag.name' } },
  },
  {
    fields: ['blocks.kind', 'blocks.item:heroes.headline', 'blocks.item:quotes.*', 'blocks.position'],
    deep: { blocks: { _sort: '-position', 'item:heroes': { _filter: { headline: { _nempty: true } } } } },
  },
  { fields: ['blocks.item', 'blocks.item:heroes', 'tags', 'notes'] },
  { fields: ['author.name', 'author.year(born)', 'author.articles.title', 'editor.articles.comments.text'] },
  {
    fields: ['author.name', 'editor.name', 'editor.count(articles)'],
    deep: { author: { _filter: { articles: { _some: { title: { _in: ['Tea', 'b'] } } } } } },
  },
  {
    fields: ['author.articles.id', 'author.articles.count(comments)'],
    deep: {
      author: {
        articles: { _sort: ['-count(comments)', 'title'], _filter: { comments: { _nempty: true } } },
      },
    },
  },
  {
    fields: ['author.articles.title'],
    deep: { author: { articles: { _sort: ['comments.likes'], _filter: { 'count(tags)': { _lt: 3 } } } } },
  },
  {
    fields: ['author.articles.title'],
    deep: {
      author: {
        articles: {
          _filter: {
            comments: {
              text: { _nempty: true },
              _or: [{ likes: { _gte: 1 } }, { _none: { writer: { name: { _nnull: true } } } }],
            },
          },
        },
      },
    },
  },
  { fields: ['id', 'comments'], filter: { comments: { _none: { text: 'bad' } } } },
  {
    fields: ['id', 'author'],
    filter: { '$FOLLOW(comments, article)': { writer: { name: { _contains: 'a' } } } },
  },
]
