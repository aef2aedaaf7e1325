// The result codes of SQLite, in any form that drivers use: a name, a number, or only SQLite's own message.

/** The result code of a failure. */
interface ResultCode {
  /** The name of its code, the plain one if the driver has no extended code. Undefined for any other error. */
  readonly name: string | undefined
  /** SQLite's own message, without the prefixes and suffixes of drivers. */
  readonly sentence: string
}

/** The result code in a driver's error. Some drivers wrap the errors of another. */
export function resultOf(error: unknown): ResultCode {
  for (let one = error, depth = 0; isObject(one) && depth < deepest; one = one.cause, depth++) {
    const sentence = sentenceOf(one)
    const name = nameIn(one, sentence)
    // A restricted reference is enforced by an internal trigger.
    if (name === 'SQLITE_CONSTRAINT_TRIGGER' && dangling.test(sentence)) return { name: foreignKey, sentence }
    if (name !== undefined) return { name, sentence }
  }
  return { name: undefined, sentence: isObject(error) ? sentenceOf(error) : '' }
}

const sentenceOf = ({ message }: Readonly<Record<string, unknown>>): string =>
  typeof message === 'string' ? message.replace(before, '').replace(behind, '') : ''

const before = /^(?:(?:D1_ERROR|SQLITE_[A-Z_]+|SQLite error|Runtime error): )+/
const behind = /(?:: SQLITE_[A-Z_]+)?(?: \(extended: SQLITE_[A-Z_]+\)| \(\d+\))?$/
const deepest = 3

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function nameIn(error: Readonly<Record<string, unknown>>, sentence: string): string | undefined {
  const { errcode, rawCode, extendedCode, code, message } = error
  const inMessage = /\(extended: (SQLITE_[A-Z_]+)\)/.exec(String(message))?.[1]
  const said = [nameOf(errcode), nameOf(rawCode), extendedCode, code, inMessage].filter(isName)
  const exact = said.find((name) => !plainNames.has(name))
  if (exact !== undefined) return exact
  return sentences.find(([, words]) => words.test(sentence))?.[0] ?? said[0]
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.startsWith('SQLITE_')

/** Plain codes, which do not say what is wrong. */
const plainNames: ReadonlySet<string> = new Set(['SQLITE_CONSTRAINT', 'SQLITE_ERROR'])

function nameOf(number: unknown): string | undefined {
  if (typeof number !== 'number') return undefined
  return names.get(number) ?? names.get(number & plainBits)
}

/** The plain code is in the lowest bits of the extended one. */
const plainBits = 0xff

const names: ReadonlyMap<number, string> = new Map([
  [1, 'SQLITE_ERROR'],
  [3, 'SQLITE_PERM'],
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [7, 'SQLITE_NOMEM'],
  [8, 'SQLITE_READONLY'],
  [9, 'SQLITE_INTERRUPT'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [15, 'SQLITE_PROTOCOL'],
  [18, 'SQLITE_TOOBIG'],
  [19, 'SQLITE_CONSTRAINT'],
  [20, 'SQLITE_MISMATCH'],
  [23, 'SQLITE_AUTH'],
  [26, 'SQLITE_NOTADB'],
  [275, 'SQLITE_CONSTRAINT_CHECK'],
  [517, 'SQLITE_BUSY_SNAPSHOT'],
  [787, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  [1299, 'SQLITE_CONSTRAINT_NOTNULL'],
  [1555, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
  [1811, 'SQLITE_CONSTRAINT_TRIGGER'],
  [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
  [2579, 'SQLITE_CONSTRAINT_ROWID'],
  [3091, 'SQLITE_CONSTRAINT_DATATYPE'],
])

const foreignKey = 'SQLITE_CONSTRAINT_FOREIGNKEY'
const dangling = /^FOREIGN KEY constraint failed$/

/** SQLite's messages, for drivers that pass on nothing else. */
const sentences: readonly (readonly [name: string, words: RegExp])[] = [
  ['SQLITE_CONSTRAINT_UNIQUE', /^UNIQUE constraint failed: /],
  [foreignKey, dangling],
  ['SQLITE_CONSTRAINT_NOTNULL', /^NOT NULL constraint failed: /],
  ['SQLITE_CONSTRAINT_CHECK', /^CHECK constraint failed: /],
  ['SQLITE_CONSTRAINT_DATATYPE', /^cannot store \w+ value in \w+ column /],
  ['SQLITE_MISMATCH', /^datatype mismatch$/],
  ['SQLITE_TOOBIG', /^string or blob too big$/],
  ['SQLITE_BUSY', /^database is locked$/],
  ['SQLITE_LOCKED', /^database (?:table|schema) is locked(?:: |$)/],
  ['SQLITE_FULL', /^database or disk is full$/],
  ['SQLITE_READONLY', /^attempt to write a readonly database$/],
  ['SQLITE_IOERR', /^disk I\/O error$/],
  ['SQLITE_CORRUPT', /^database disk image is malformed$/],
  ['SQLITE_NOTADB', /^file is not a database$/],
  ['SQLITE_CANTOPEN', /^unable to open database file$/],
  ['SQLITE_NOMEM', /^out of memory$/],
  ['SQLITE_INTERRUPT', /^interrupted$/],
  ['SQLITE_AUTH', /^(?:not authorized|authorization denied)$/],
]
