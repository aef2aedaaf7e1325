// What is written into the playground, what comes back, and the address that keeps it.

export interface Inputs {
  readonly schema: string
  /** Statements that make the tables. */
  readonly data: string
  readonly collection: string
  readonly query: string
  /** A user and rules. */
  readonly caller: string
  /** True if the rules hold. */
  readonly rules: boolean
}

export type Outcome =
  | {
      readonly sql: string
      readonly parameters: readonly unknown[]
      readonly answer: unknown
      readonly type: string
    }
  | {
      readonly error: {
        readonly place: keyof Inputs
        readonly message: string
        readonly code?: string
        readonly hint?: string
        readonly path?: readonly (string | number)[]
      }
    }

export const board: Inputs = {
  schema: `{
  people: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
  lanes: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      cards: { type: 'o2m', from: 'cards.lane' },
    },
  },
  cards: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      points: { type: 'integer' },
      due: { type: 'date', nullable: true },
      lane: { type: 'm2o', to: 'lanes' },
      owner: { type: 'm2o', to: 'people', nullable: true },
    },
  },
}`,
  data: `create table people (id integer primary key, name text not null);
create table lanes (id integer primary key, title text not null);
create table cards (
  id integer primary key, title text not null, points integer not null, due text,
  lane integer not null references lanes, owner integer references people
);
insert into people values (1, 'Ada'), (2, 'Grace');
insert into lanes values (1, 'To do'), (2, 'Doing'), (3, 'Done');
insert into cards values (1, 'Draw the board', 3, '2027-02-01', 3, 1), (2, 'Drag with order', 5, '2027-03-01', 2, 2),
  (3, 'Tell the team', 1, null, 1, null), (4, 'Write the rules', 2, '2027-03-15', 1, 1);`,
  collection: 'lanes',
  query: `{
  fields: ['title', 'count(cards)', 'cards.title', 'cards.owner.name'],
  filter: { cards: { _some: { points: { _gt: 1 } } } },
  deep: { cards: { _sort: '-points' } },
  sort: 'id',
}`,
  caller: `{
  user: 1,
  rules: {
    lanes: { read: true },
    people: { read: { fields: ['id', 'name'] } },
    cards: { read: { filter: { owner: '$CURRENT_USER' } } },
  },
}`,
  rules: false,
}

/** Writes what differs from the board into the text behind the # of an address. */
export function hashOf(inputs: Inputs): string {
  const changed = Object.entries(inputs).filter(([name, value]) => value !== board[name as keyof Inputs])
  return new URLSearchParams(
    Object.fromEntries(changed.map(([name, value]) => [name, String(value)])),
  ).toString()
}

export function inputsIn(hash: string): Inputs {
  const texts = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')))
  return { ...board, ...texts, rules: texts.rules === 'true' }
}
