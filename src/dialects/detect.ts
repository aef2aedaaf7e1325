import { quote } from '../errors/errors.ts'
import type { Dialect } from './dialect.ts'
import type { HostDatabase } from './host.ts'
import { type DialectName, dialectNamed, unknownDialect } from './named.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

/** The property under which a Kysely adapter of ours has its dialect. */
export const phraseBook: unique symbol = Symbol.for('quernel.dialect')

/** Returns the given dialect, by name or as an object; else the one of the Kysely instance. */
export function dialectOf(input: DialectName | Dialect | undefined, db?: HostDatabase): Dialect {
  if (typeof input === 'object') return input
  if (input !== undefined) return dialectNamed(input, { sqlite, postgres })
  const adapter: object | undefined = db?.getExecutor().adapter
  if (!adapter) throw unknownDialect('No dialect is given.')
  const own: unknown = Reflect.get(adapter, phraseBook)
  if (isDialect(own)) return own
  // By class name, because the host may have a second copy of Kysely, or a subclass.
  const names = classNames(adapter)
  const found = adapters.find(({ pattern }) => names.some((name) => pattern.test(name)))
  if (!found)
    throw unknownDialect(
      `The dialect of this Kysely instance (${quote(names[0] ?? 'unknown')}) is not known.`,
    )
  return found.dialect
}

const adapters: readonly { readonly pattern: RegExp; readonly dialect: Dialect }[] = [
  { pattern: /sqlite|libsql|d1/i, dialect: sqlite },
  { pattern: /postgres|pglite|neon/i, dialect: postgres },
]

const isDialect = (value: unknown): value is Dialect =>
  typeof value === 'object' && value !== null && 'compare' in value

function classNames(adapter: object): string[] {
  const names: string[] = []
  for (
    let type: object | null = Object.getPrototypeOf(adapter);
    type && type !== Object.prototype;
    type = Object.getPrototypeOf(type)
  ) {
    names.push(type.constructor.name)
  }
  return names
}
