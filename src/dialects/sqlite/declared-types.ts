// Declared types of SQLite columns, which may be any words. Only columns of STRICT tables are bound to their declared type.

import type { Family } from '../../types/families.ts'
import { fieldTypes, type ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import type { CatalogueColumn, TypeGuess } from '../catalogue.ts'
import { numberingOf } from '../numbered-moments.ts'

/** The type by a CHECK that guarantees one, or else by the first row that matches. A doubt is resolved by the values in the column. */
export function guess({ type, canonical, default: start }: CatalogueColumn): TypeGuess {
  if (canonical) return { type: canonical, storage: 'canonical' }
  const row = rows.find(({ words }) => words.test(type))
  if (!row) return { type: 'string', doubt: 'SQLite knows no such type, so that it may hold anything' }
  return start === null ? row.guess : guessByDefault(row.guess, start)
}

/** The guess that fits the default of a column. */
function guessByDefault(guess: TypeGuess, start: string): TypeGuess {
  if ((guess.type === 'dateTime' || guess.type === 'timestamp') && isBlankForm.test(start))
    return { ...guess, storage: 'sql', doubt: 'its default has the form of "2024-02-29 08:30:00"' }
  const number = guess.type === 'boolean' ? constant(start) : undefined
  return typeof number === 'number' && number !== 0 && number !== 1
    ? {
        type: Number.isInteger(number) ? 'integer' : 'float',
        doubt: 'its default is a number other than 0 and 1',
      }
    : guess
}

/** Defaults that make a date and a time with a blank between them. */
const isBlankForm =
  /^[\s(]*(?:current_timestamp\b|datetime\s*\(|'\d{4}-\d\d-\d\d \d|strftime\s*\(\s*'(?:%Y-%m-%d|%F) %)/i

/** A column of text turns numbers into text, and one of numbers a text of digits into a number. All other values stay as they are. */
export function holds(column: CatalogueColumn, type: ValueType): boolean {
  const known = guess(column)
  if (known.doubt !== undefined || isOfBytes(type)) return true
  if (!type.isArray && known.type === type.type && known.storage === type.storage) return true
  const isNumber =
    !type.isArray && type.storage !== 'text' && (numbers.has(type.family) || numberingOf(type) !== undefined)
  if (isNumber) return !/CHAR|CLOB|TEXT/.test(column.type) || /INT/.test(column.type)
  return !digitTexts.has(type.family) || !numbers.has(fieldTypes[known.type].family)
}

const numbers: ReadonlySet<Family> = new Set(['integer', 'boolean', 'float', 'decimal'])
/** Families whose texts may be nothing but digits. */
const digitTexts: ReadonlySet<Family> = new Set(['text', 'csv', 'hash', 'decimal', 'other', 'opaque'])

const rows: readonly { readonly words: RegExp; readonly guess: TypeGuess }[] = [
  {
    words: /^BOOL(EAN)?$/,
    guess: { type: 'boolean', doubt: 'SQLite knows no such type; it is read as 0 and 1' },
  },
  { words: /^DATE$/, guess: { type: 'date', doubt: 'SQLite knows no such type; it is read as ISO text' } },
  {
    words: /^TIME\b(?!STAMP)/,
    guess: { type: 'time', doubt: 'SQLite knows no such type; it is read as ISO text' },
  },
  {
    words: /^(SMALL)?DATETIME/,
    guess: { type: 'dateTime', doubt: 'SQLite knows no such type; it is read as ISO text' },
  },
  {
    words: /^TIMESTAMP/,
    guess: { type: 'timestamp', doubt: 'SQLite knows no such type; it is read as ISO text' },
  },
  {
    words: /^(UUID|GUID|UNIQUEIDENTIFIER)$/,
    guess: { type: 'uuid', doubt: 'SQLite knows no such type; it is read as text' },
  },
  { words: /^(?=.*(UUID|GUID))(?=.*(BLOB|BINARY|BYTES))/, guess: { type: 'uuid', storage: 'binary' } },
  { words: /^JSONB?$/, guess: { type: 'json' } },
  { words: /^(DEC(IMAL)?|NUMERIC|NUMBER|(SMALL)?MONEY)$/, guess: { type: 'decimal' } },
  {
    words: /^(GEOMETRY|(MULTI)?(POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)/,
    guess: { type: 'binary', doubt: 'SQLite knows no such type; it is read as bytes' },
  },
  // Types of other databases that only hold these letters.
  {
    words: /^INTERVAL|RANGE$/,
    guess: { type: 'string', doubt: 'SQLite knows no such type, so that it may hold anything' },
  },
  { words: /^(BIGINT|INT8|UNSIGNED BIG INT)/, guess: { type: 'bigInteger' } },
  { words: /INT/, guess: { type: 'integer' } },
  { words: /TEXT|CLOB/, guess: { type: 'text' } },
  { words: /CHAR|^STRING$/, guess: { type: 'string' } },
  { words: /BLOB|^(VAR)?BINARY$|^BYTEA$|^IMAGE$/, guess: { type: 'binary' } },
  { words: /REAL|FLOA|DOUB/, guess: { type: 'float' } },
  { words: /^(ANY)?$/, guess: { type: 'string', doubt: 'it may hold anything' } },
]

/** The value of a default that is a plain constant. */
export function constant(text: string): string | number | boolean | undefined {
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1]
  if (quoted !== undefined) return quoted.replaceAll("''", "'")
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return undefined
}
