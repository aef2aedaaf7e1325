// Arguments of a command.
import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { isEngineError } from '../errors/errors.ts'
import { checkCors } from '../http/cors.ts'
import type { IntrospectOptions } from '../introspect/introspect-options.ts'
import { isFieldType } from '../types/field-types.ts'
import { isRecord } from '../values/guards.ts'
import { failure, misuse, reasonOf } from './terminal.ts'

/** Options of any database. */
const ofDatabase = {
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  'db-schema': { type: 'string', multiple: true },
  key: { type: 'string', multiple: true },
  type: { type: 'string', multiple: true },
  relation: { type: 'string', multiple: true },
  overrides: { type: 'string' },
  verbose: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options']

const ofSchema = {
  ...ofDatabase,
  'schema-file': { type: 'string' },
} as const satisfies ParseArgsConfig['options']

const ofServer = {
  ...ofSchema,
  port: { type: 'string' },
  host: { type: 'string' },
  token: { type: 'string' },
  readonly: { type: 'boolean' },
  cors: { type: 'string', multiple: true },
} as const satisfies ParseArgsConfig['options']

export interface IntrospectArguments {
  readonly database: string
  readonly options: IntrospectOptions
  /** True if the whole report is printed. */
  readonly isVerbose: boolean
}

/** A schema: that of a database, or of a file. */
export interface SchemaArguments extends IntrospectArguments {
  readonly schemaFile: string | undefined
}

export interface ServeArguments extends SchemaArguments {
  readonly port: number
  readonly host: string
  readonly token: string | undefined
  readonly isReadonly: boolean
  /** Other origins whose pages may read the responses. */
  readonly origins: readonly string[]
}

export function introspectArguments(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): IntrospectArguments {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...words], options: ofDatabase, allowPositionals: true }),
  )
  return {
    database: onlyDatabase(positionals, environment),
    options: introspectOptions(values),
    isVerbose: values.verbose ?? false,
  }
}

export function schemaArguments(words: readonly string[], environment: NodeJS.ProcessEnv): SchemaArguments {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...words], options: ofSchema, allowPositionals: true }),
  )
  return { database: onlyDatabase(positionals, environment), ...schemaFrom(values) }
}

export function serveArguments(words: readonly string[], environment: NodeJS.ProcessEnv): ServeArguments {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...words], options: ofServer, allowPositionals: true }),
  )
  const schema = schemaFrom(values)
  const token = tokenFrom(values.token ?? environment.QUERNEL_TOKEN)
  return {
    database: onlyDatabase(positionals, environment),
    ...schema,
    port: portFrom(values.port ?? '3000'),
    host: values.host ?? '127.0.0.1',
    token,
    isReadonly: values.readonly ?? false,
    origins: originsFrom(values.cors ?? [], token),
  }
}

function originsFrom(origins: readonly string[], token: string | undefined): readonly string[] {
  if (origins.includes('*') && token === undefined)
    throw misuse(
      'Without a token, any page that you open could read and change the database: --cors "*" needs one.',
      'Name the origin of your page, or give a token with --token.',
    )
  try {
    if (origins.length > 0) checkCors({ origins })
  } catch (error) {
    const [problem = error] = isEngineError(error) ? (error.errors ?? [error]) : []
    throw isEngineError(problem) ? misuse(`--cors: ${problem.message}`, problem.hint) : error
  }
  return origins
}

function schemaFrom(values: DatabaseValues & { readonly 'schema-file'?: string | undefined }) {
  const options = introspectOptions(values)
  const schemaFile = values['schema-file']
  if (schemaFile !== undefined && Object.keys(options).length > 0)
    throw misuse(
      'A schema file says it all: --include, --exclude, --db-schema, --key, --type, --relation and --overrides have no use beside it.',
    )
  return { options, schemaFile, isVerbose: values.verbose ?? false }
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse()
  } catch (error) {
    // Its messages end with advice for programmers.
    throw misuse(
      error instanceof Error ? (error.message.split(/\.\s/)[0] ?? '').replace(/\.?$/, '.') : String(error),
    )
  }
}

function onlyDatabase(
  [named, ...others]: readonly string[],
  { DATABASE_URL: usual }: NodeJS.ProcessEnv,
): string {
  const database = named ?? (usual || undefined)
  if (database === undefined)
    throw misuse('Which database? Give a file of SQLite, or a URL as postgres://…, here or in DATABASE_URL.')
  if (others.length > 0) throw misuse(`One database is enough; what is ${JSON.stringify(others[0])}?`)
  return database
}

interface DatabaseValues {
  readonly include?: string[] | undefined
  readonly exclude?: string[] | undefined
  readonly 'db-schema'?: string[] | undefined
  readonly key?: string[] | undefined
  readonly type?: string[] | undefined
  readonly relation?: string[] | undefined
  readonly overrides?: string | undefined
  readonly verbose?: boolean | undefined
}

function introspectOptions({
  include,
  exclude,
  'db-schema': dbSchemas,
  key = [],
  type = [],
  relation,
  overrides,
}: DatabaseValues): IntrospectOptions {
  const said = overrides === undefined ? {} : overridesIn(overrides)
  const override = [...key.map(keyFrom), ...type.map(typeFrom)].reduce(withOverride, said)
  return {
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(dbSchemas && { dbSchemas }),
    ...(relation && { relations: relationsFrom(relation) }),
    ...(Object.keys(override).length > 0 && { override }),
  }
}

type Overrides = NonNullable<IntrospectOptions['override']>
type NamedOverride = readonly [collection: string, Overrides[string]]

/** Adds what an argument says of a collection to what is said of it already. */
function withOverride(all: Overrides, [name, more]: NamedOverride): Overrides {
  const known = Object.hasOwn(all, name) ? all[name] : undefined
  return { ...all, [name]: { ...known, ...more, fields: { ...known?.fields, ...more?.fields } } }
}

/** Reads a file of JSON: what the option `override` takes. */
function overridesIn(file: string): Overrides {
  let input: unknown
  try {
    input = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw failure(`${JSON.stringify(file)} cannot be read as JSON: ${reasonOf(cause)}.`, undefined, cause)
  }
  if (!isRecord(input) || !Object.values(input).every(isRecord))
    throw failure(
      `${JSON.stringify(file)} is no object of collections.`,
      'Write it as {"posts":{"fields":{"made":{"type":"timestamp"}}}}.',
    )
  // Its inside is checked by introspection, as any override.
  return input as Overrides
}

/** Parses `collection.field=type`; a name may hold the signs itself, so the last ones count. */
function typeFrom(text: string): NamedOverride {
  const at = text.lastIndexOf('=')
  const dot = text.lastIndexOf('.', at)
  const type = text.slice(at + 1)
  if (dot < 1 || at < dot + 2 || !isFieldType(type))
    throw misuse(`--type takes collection.field=type, with a type of fields, not ${JSON.stringify(text)}.`)
  return [text.slice(0, dot), { fields: { [text.slice(dot + 1, at)]: { type } } }]
}

/** Parses `collection=column`, or several columns behind commas; a name may hold the sign itself, so the last one counts. */
function keyFrom(text: string): NamedOverride {
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1)
    throw misuse(`--key takes collection=column, not ${JSON.stringify(text)}.`)
  return [text.slice(0, at), { key: text.slice(at + 1).split(',') }]
}

/** Parses `collection.columns=collection.columns`, each of which introspection knows or not. */
function relationsFrom(texts: readonly string[]): Readonly<Record<string, string>> {
  const ends = texts.map((text) => {
    const [, from = '', to = ''] = /^([^.]+\.[^=]+)=([^.]+\..+)$/s.exec(text) ?? []
    if (from === '')
      throw misuse(
        `--relation takes collection.column=collection.column, not ${JSON.stringify(text)}.`,
        'Several columns have commas between them: --relation "orders.tenant_id,user_id=users.tenant_id,id".',
      )
    return [from, to] as const
  })
  const twice = ends.find(([from], at) => ends.findIndex((end) => end[0] === from) < at)
  if (twice) throw misuse(`--relation says twice where ${JSON.stringify(twice[0])} leads.`)
  return Object.fromEntries(ends)
}

function portFrom(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw misuse(`--port takes a number up to 65535, not ${JSON.stringify(text)}.`)
}

/** Refuses a token that a header could not carry: no client could use it. */
function tokenFrom(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token
  throw misuse('A token consists of letters, digits and signs, without blanks.')
}
