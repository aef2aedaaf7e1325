import type { Sql } from './sql.ts'

/** A list inside a row: JSON made of the rows of a subselect. */
export interface NestedList {
  readonly element: Sql
  /** The FROM: rows in order, with everything joined to them. */
  readonly from: Sql
  /** The order again, if joins may have lost it; undefined without joins. */
  readonly order: Sql | undefined
}

/** A list of objects whose members have names. */
export interface NestedItems extends Omit<NestedList, 'element'> {
  readonly members: readonly (readonly [name: string, value: Sql])[]
}

interface JsonAgain {
  readonly of: (subselect: Sql) => Sql
  /** Selects 1, under the name "0", if this version of the database would not have needed it. */
  readonly isIdle: Sql
}

/** JSON that the database writes. */
export interface JsonPhrases {
  /** True if an aggregate may take the rows of an ordered subselect in any order, so that the order has to stand inside it: then each
   *  list comes with its order. Absent = it takes them as they come. */
  readonly orderInside?: true
  jsonArray(elements: readonly Sql[]): Sql
  /** The text of a JSON array, without blanks. */
  jsonTuple(elements: readonly Sql[]): Sql
  /** A column of text as an element of such an array. Absent = as any other key that is written as text. */
  textInTuple?(column: Sql): Sql
  /** A column of numbers as an element of such an array. Absent = it holds nothing but numbers. */
  numberInTuple?(column: Sql): Sql
  jsonObject(members: readonly (readonly [name: string, value: Sql])[]): Sql
  jsonList(list: NestedList): Sql
  /** A list of objects. */
  jsonItems(list: NestedItems): Sql
  /** JSON of a subselect, as a part of other JSON. Absent = it still is JSON. */
  readonly jsonAgain?: JsonAgain
  /** The number of rows of plain values above which JSON made by the database is slower than rows from which it
   *  is made here: the database returns none before it has them all. Absent = it is always faster. */
  readonly mostRowsAsText?: number
  /** Converts a value that is not JSON: all branches of a CASE have to be of one type. */
  toJson(value: Sql): Sql
  /** The text of a number as a JSON number, digit by digit. */
  jsonNumber(text: Sql): Sql
  /** JSON as a column of a row: text, whatever the driver makes of JSON. */
  jsonText(json: Sql): Sql
  /** The bytes of a value in UTF-8. */
  byteLength(value: Sql): Sql
  /** A number of bytes, as a whole number of 64 bits. */
  byteCount(bytes: number): Sql
}
