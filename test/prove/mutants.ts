// Mutants of feeds: each breaks one thing that keeps lists true, and the random subscribers of a normal run have to find it.

/** A piece of source, and what stands there instead. */
export interface Mutant {
  readonly name: string
  /** The file, from `src` on. */
  readonly file: string
  readonly from: string
  readonly to: string
}

const index = 'realtime/relevance/row-index.ts'
const judgement = 'plan/filter/may-hold.ts'
const relevance = 'realtime/relevance/relevance-of.ts'
const group = 'realtime/group/group.ts'
const listing = 'realtime/listing/list-again.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'index: nobody is found by a value',
    file: index,
    from: 'else test(values.get(value))',
    to: 'else test(undefined)',
  },
  {
    name: 'index: of the values of a list only the first one is looked at',
    file: index,
    from: 'of matcher.points) {',
    to: 'of matcher.points.slice(0, 1)) {',
  },
  {
    name: 'index: an item that leaves is not looked for',
    file: index,
    from: 'return found instanceof Set ? found : [found]',
    to: 'return []',
  },
  {
    name: 'judgement: the bound itself is out of bounds',
    file: judgement,
    from: '(number) => number <= bound',
    to: '(number) => number < bound',
  },
  {
    name: 'judgement: one condition of several is not enough',
    file: judgement,
    from: "if (predicate.kind === 'or') return oneOf(",
    to: "if (predicate.kind === 'or') return allOf(",
  },
  {
    name: 'judgement: what cannot be judged is met by no row',
    file: judgement,
    from: 'export const anyRow: RowMatcher = { mayHold: () => true,',
    to: 'export const anyRow: RowMatcher = { mayHold: () => false,',
  },
  {
    name: 'judgement: a field that is hidden on some rows is judged as it is stored',
    file: relevance,
    from: 'fields.filter(({ column }) => !partly.has(column))',
    to: 'fields.filter(() => partly.size >= 0)',
  },
  {
    name: 'offset: what comes before a page does not matter to it',
    file: relevance,
    from: "(read.part === 'watched' && list.page.offset > 0)",
    to: 'false',
  },
  {
    name: 'joiners: whoever begins with a snapshot is told what led to it',
    file: group,
    from: 'this.#listed = { state, version: this.state.version }',
    to: 'this.#listed = { state, version: Math.max(1, before) }',
  },
  {
    name: 'joiners: a read that began before somebody came is enough for them',
    file: group,
    from: 'this.#listing ??= deferred()',
    to: 'this.#listing ??= this.#reading?.waiting ?? deferred()',
  },
  {
    name: 'one snapshot: the texts of a list are read before it is judged',
    file: listing,
    from: 'group.take(await readWatched(engine, read, before), written)',
    to: `const texts = new Map((await readWatched(engine, read, before)).items.map((one) => [one.identity, one]))
    const judged = await readWatched(engine, read, before)
    group.take({ ...judged, items: judged.items.map((one) => texts.get(one.identity) ?? one) }, written)`,
  },
  {
    name: 'one snapshot: the texts of some items are read before these are judged',
    file: listing,
    from: 'this.#takeSome({ ...begun, dirty }, await readMembers(engine, read, [...dirty.values()]))',
    to: `const texts = new Map((await readMembers(engine, read, [...dirty.values()])).map((one) => [one.identity, one]))
      const judged = await readMembers(engine, read, [...dirty.values()])
      this.#takeSome({ ...begun, dirty }, judged.map((one) => texts.get(one.identity) ?? one))`,
  },
  {
    name: 'coalescing: a change that comes while a list is read is lost',
    file: group,
    from: 'this.state.take(state, written)',
    to: 'this.state.take(state, written); this.#isStale = false',
  },
  {
    name: 'coalescing: a change that comes while some items are read is lost',
    file: group,
    from: 'this.state.takeSome(shown, items, written)',
    to: 'this.state.takeSome(shown, items, written); this.#isStale = false',
  },
]

export function mutated({ name, file, from, to }: Mutant, code: string): string {
  if (code.split(from).length !== 2) throw new Error(`${file} is written in another way now: ${name}`)
  return code.replace(from, () => to)
}
