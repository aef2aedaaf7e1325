// A dialect is a phrase book: it is asked for a phrase, never which database it is.
import type { ValueType } from '../schema/model.ts'
import type { Zone } from '../values/zone.ts'
import type { CataloguePhrases } from './catalogue.ts'
import type { JsonAgain, NestedItems, NestedList, Packing } from './list-phrases.ts'
import type {
  Column,
  DatePart,
  JsonScalar,
  MatchPosition,
  Operand,
  Reach,
  Reading,
  RowUse,
  Sign,
  Slot,
} from './phrase-types.ts'
import type { Sql } from './sql.ts'
import type { Storing } from './stored-values.ts'
import type {
  Breach,
  CursorPhrases,
  DriverFault,
  Interruption,
  IsolationPhrases,
  PagePhrases,
  ServerPhrases,
  TransactionPhrases,
  WriteLockPhrases,
} from './transaction-phrases.ts'

/** The phrases of a database. It is asked for a phrase, and never for its name. */
export interface Dialect {
  readonly name: string
  /** A quoted name. */
  identifier(name: string): Sql
  /** The mark of a bound value in the text; positions count from 1. */
  placeholder(position: number): string
  /** The same in a statement that is kept: its plan must not depend on the first value. */
  keptPlaceholder(position: number): string

  /** Whether a column may hold values that read as null, such as infinities. */
  losesValues(type: ValueType): boolean
  reach(type: ValueType, operand: Operand): Reach
  compare(column: Column, sign: Sign, slot: Slot<Operand>): Sql
  /** Is one of a list, which is one bound value whatever its length. */
  among(column: Column, list: Slot<readonly Operand[]>): Sql
  match(column: Column, place: MatchPosition, ignoreCase: boolean, text: Slot<string>): Sql
  isNull(column: Column): Sql
  isPresent(column: Column): Sql
  isEmpty(column: Column): Sql

  datePart(part: DatePart, column: Column, zone: Zone): Sql
  /** The number of elements of a JSON array; 0 for any other value, null for null. */
  jsonLength(column: Column): Sql
  /** The scalar at the column's path, if it is of that kind; else null. */
  jsonScalar(column: Column, kind: JsonScalar): Sql
  /** A key stored as text, as the key of a collection; null where the text is not its canonical form. Undefined where a text cannot be
   *  tried: then keys are compared as texts. */
  keyFromText(text: Sql, key: ValueType): Sql | undefined
  keyAsText(key: Sql, type: ValueType): Sql

  reading(column: Column): Reading
  storing(type: ValueType): Storing
  /** The type of a column made for such values. */
  columnType(type: ValueType): Sql
  /** The column in a form in which values are equal exactly where their answers are. */
  shown(column: Column): Column
  sum(column: Column, isDistinct: boolean): Column
  average(column: Column, isDistinct: boolean): Sql
  extreme(which: 'min' | 'max', column: Column): Column
  /** One key of an order. What has no value comes last, and first when descending. */
  orderKey(column: Column, isDescending: boolean, isNullable: boolean): Sql
  /** A key as an order compares it. Given where an index of keys alone is passed over much faster than the rows that it leads to. */
  orderedKey?(column: Column): Sql
  /** Under which name a column leaves a subselect. Absent = under its own. */
  nameOutside?(column: string): string
  /** ` limit 5 offset 10`. Without a limit it still ends an ordered subselect, whose order would not be kept otherwise. */
  page(limit: Sql | undefined, offset: Sql | undefined): Sql
  /** ` order by …` for rows that came ordered from a subselect and were joined to others since. Absent = they keep their order. */
  orderAgain?(order: Sql): Sql

  /** How many rows there are, beside each of them. Absent = it costs more than a statement of its own. */
  readonly countBeside?: Sql
  /** What comes before a SELECT from names, so that the rows of their subselects are made without regard to what is done with them; each
   *  may select from those before it. Absent = they are made so anyway. */
  madeFirst?(named: readonly (readonly [name: Sql, select: Sql])[]): Sql
  /** An outer join of one row at most, to few rows. Absent = it is written like the others. */
  joinEach?(table: Sql, alias: Sql, on: Sql): Sql
  /** What lets a subselect behind FROM look at the rows before it. Absent = there is no such thing. */
  readonly lateral?: Sql
  jsonArray(elements: readonly Sql[]): Sql
  jsonObject(members: readonly (readonly [name: string, value: Sql])[]): Sql
  jsonList(list: NestedList): Sql
  /** A list of objects. */
  jsonItems(list: NestedItems): Sql
  /** JSON that a subselect has made, as a part of other JSON. Absent = it is JSON still. */
  readonly jsonAgain?: JsonAgain
  /** Of more rows of plain values than this, JSON that the database makes is there later than rows of which it is made here: it hands out
   *  none before it has them all. Absent = it is there sooner. */
  readonly mostRowsAsText?: number
  /** Where rows are here sooner as one JSON text. Absent = nowhere. */
  readonly packing?: Packing
  /** A value that is no JSON yet, as JSON: all branches of a CASE have to be of one type. */
  toJson(value: Sql): Sql
  /** JSON as a column of a row: text, whatever the driver makes of JSON. */
  jsonText(json: Sql): Sql

  /** Begins a statement that tells how the rest is run. */
  readonly explain: Sql
  /** What a driver's error means to a caller; undefined when it is nobody's fault but ours. */
  faultOf(error: unknown): DriverFault | undefined
  /** What a driver's error says of a rule of the database that was broken: where it holds, as far as it tells. */
  breachOf(error: unknown): Breach | undefined
  /** Whether an error comes from what others did at the same time, so that the same may succeed once more. */
  isPassing(error: unknown): boolean
  /** Whether a statement failed because there is no such table. */
  lacksTable(error: unknown): boolean
  /** Whether a statement failed because its JSON cannot hold what stands in a column. Absent = there is no such value. */
  isBeyondJson?(error: unknown): boolean
  /** Whether bytes stand where a column of text should hold text. Absent = they cannot. */
  isOfBytes?(column: Sql): Sql
  /** Lets nobody else write to a table until the transaction ends. Absent = whoever writes is alone anyway. */
  holdTable?(table: Sql): Sql
  /** The same for the rows that a statement selects, as far as their use needs it. */
  holdRows?(select: string, use: RowUse): string
  /** Lets the keys that the database counts by itself go on behind one that was given. Absent = they do anyway. */
  countOn?(
    table: { readonly table: string; readonly dbSchema: string | undefined },
    column: string,
    key: bigint,
  ): Sql
  /** Whether more than a statement itself changes what it writes to a table, such as a trigger: then rows are not what it answers. */
  isFollowed(table: { readonly table: string; readonly dbSchema: string | undefined }): Sql
  /** New rows get keys one above the other, and drivers tell the last one, so that not every row has to be told. Absent = it is told. */
  readonly countsKeys?: true
  /** Deletes, and answers one row: how many rows there were and, as JSON text, what each was in the order of its key; null instead where
   *  there were none, or more than `most`. Absent = nobody else writes between what a transaction reads and what it deletes. */
  deleteTelling?(deletion: Sql, told: Sql, key: Sql, most: number): Sql
  /** Whoever writes is alone with the whole database. Absent = others write beside. */
  readonly writeLock?: WriteLockPhrases
  /** Lets nobody else make tables of ours until the transaction ends. */
  readonly installAlone?: Sql
  /** All calls share one connection, so each waits for the others. */
  readonly hasOneConnection?: true
  /** Which state a transaction looks at. Absent = the one that it began with, and nobody else writes meanwhile. */
  readonly isolation?: IsolationPhrases
  /** How it is known whether a transaction goes on. */
  readonly goingOn: TransactionPhrases
  /** Absent = all servers of the kind are alike. */
  readonly server?: ServerPhrases
  /** Absent = a statement that has begun ends by itself. */
  readonly interruption?: Interruption
  /** How rows without number are read. */
  readonly streaming: CursorPhrases | PagePhrases

  /** Zones by name, with their daylight-saving rules. Absent = fixed offsets only. */
  readonly namedZones?: true
  /** What the database says of its tables; absent = they are described by hand. */
  readonly catalogue?: CataloguePhrases
  /** Geometry; absent = the database has none. */
  readonly geo?: GeoPhrases
}

export interface GeoPhrases {
  same(column: Column, geometry: Slot<Operand>): Sql
  intersects(column: Column, geometry: Slot<Operand>): Sql
  boundsIntersect(column: Column, geometry: Slot<Operand>): Sql
}
