import { type ParseArgsConfig, parseArgs } from 'node:util'
import { isEngineError } from '../errors/errors.ts'
import { checkCors } from '../http/cors.ts'
import type { CheckOptions } from '../introspect/check-schema.ts'
import type { IntrospectOptions } from '../introspect/introspect-options.ts'
import { type DatabaseValues, introspectOptions } from './introspect-arguments.ts'
import { misuse } from './terminal.ts'

const ofInit = {
  server: { type: 'string' },
  database: { type: 'string' },
} as const satisfies ParseArgsConfig['options']

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

const ofSchema = { ...ofDatabase, 'schema-file': { type: 'string' } } as const
const ofChanges = { ...ofSchema, dry: { type: 'boolean' } } as const
const ofCheck = { files: { type: 'boolean' }, flows: { type: 'boolean' } } as const
const ofAccess = { role: { type: 'string', multiple: true } } as const
const ofAgents = { ...ofSchema, write: { type: 'boolean' } } as const
const ofServer = {
  ...ofSchema,
  port: { type: 'string' },
  host: { type: 'string' },
  token: { type: 'string' },
  readonly: { type: 'boolean' },
  cors: { type: 'string', multiple: true },
} as const satisfies ParseArgsConfig['options']

/** A project to begin with. What is not chosen is the first of its kind. */
export interface InitArguments {
  readonly folder: string
  readonly server: string | undefined
  readonly database: string | undefined
}

export interface IntrospectArguments {
  readonly database: string
  readonly options: IntrospectOptions
  /** True if the whole report is printed. */
  readonly isVerbose: boolean
}

export interface SchemaArguments extends IntrospectArguments {
  readonly schemaFile: string | undefined
}

const changeActions = ['install', 'remove', 'check'] as const

export interface ChangesArguments extends SchemaArguments {
  readonly action: (typeof changeActions)[number]
  /** True if statements are printed, and none is run. */
  readonly isDry: boolean
}

/** A schema beside the database that shall have its tables. */
export interface CheckArguments {
  readonly database: string
  readonly schemaFile: string
  readonly options: CheckOptions
}

export interface AccessArguments {
  readonly schemaFile: string
  /** Names of roles; none stands for all of the file. */
  readonly roles: readonly string[]
}

export interface AgentArguments extends SchemaArguments {
  /** True if agents may change the database. */
  readonly isWritable: boolean
}

export interface ServeArguments extends SchemaArguments {
  readonly port: number
  readonly host: string
  readonly token: string | undefined
  readonly isReadonly: boolean
  /** Other origins whose pages may read the responses. */
  readonly origins: readonly string[]
}

export function initArguments(words: readonly string[]): InitArguments {
  const { values, positionals } = parsed(words, ofInit)
  const [folder = '.', other] = positionals
  if (other !== undefined) throw misuse(`One folder is enough; what is ${JSON.stringify(other)}?`)
  return { folder, server: values.server, database: values.database }
}

export function introspectArguments(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): IntrospectArguments {
  const { values, positionals } = parsed(words, ofDatabase)
  return {
    database: onlyDatabase(positionals, environment),
    options: introspectOptions(values),
    isVerbose: values.verbose ?? false,
  }
}

export function schemaArguments(words: readonly string[], environment: NodeJS.ProcessEnv): SchemaArguments {
  const { values, positionals } = parsed(words, ofSchema)
  return { database: onlyDatabase(positionals, environment), ...schemaFrom(values) }
}

export function agentArguments(words: readonly string[], environment: NodeJS.ProcessEnv): AgentArguments {
  const { values, positionals } = parsed(words, ofAgents)
  const database = onlyDatabase(positionals, environment)
  return { database, ...schemaFrom(values), isWritable: values.write ?? false }
}

export function changesArguments(words: readonly string[], environment: NodeJS.ProcessEnv): ChangesArguments {
  const { values, positionals } = parsed(words, ofChanges)
  const [word, ...databases] = positionals
  const action = changeActions.find((name) => name === word)
  if (!action)
    throw misuse(
      `quernel changes takes ${changeActions.join(', ')}, and not ${word === undefined ? 'nothing' : JSON.stringify(word)}.`,
    )
  const schema = schemaFrom(values)
  if (action === 'remove' && (schema.schemaFile !== undefined || Object.keys(schema.options).length > 0))
    throw misuse(
      'quernel changes remove removes all of the log: what says which collections there are has no use beside it.',
      'For some of them there is removeChangeLog(engine, collections).',
    )
  return {
    database: onlyDatabase(databases, environment),
    ...schema,
    action,
    isDry: values.dry ?? false,
  }
}

export function checkArguments(words: readonly string[], environment: NodeJS.ProcessEnv): CheckArguments {
  const { values, positionals } = parsed(words, ofCheck)
  const databases = positionals.slice(0, -1)
  const schemaFile = positionals.at(-1)
  if (schemaFile === undefined || positionals.length > 2)
    throw misuse('A database and the file of its schema are to be named, such as shop.db schema.js.')
  return {
    database: onlyDatabase(databases, environment),
    schemaFile,
    options: { ...(values.files && { files: {} }), ...(values.flows && { flows: {} }) },
  }
}

export function accessArguments(words: readonly string[]): AccessArguments {
  const { values, positionals } = parsed(words, ofAccess)
  const [schemaFile, ...others] = positionals
  if (schemaFile === undefined || others.length > 0)
    throw misuse('The file of a schema and its roles is to be named, such as schema.js.')
  return { schemaFile, roles: values.role ?? [] }
}

export function serveArguments(words: readonly string[], environment: NodeJS.ProcessEnv): ServeArguments {
  const { values, positionals } = parsed(words, ofServer)
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

function parsed<const Options extends NonNullable<ParseArgsConfig['options']>>(
  words: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
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
