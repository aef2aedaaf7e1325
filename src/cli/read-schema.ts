import { pathToFileURL } from 'node:url'
import type { HostDatabase } from '../dialects/host.ts'
import { quote } from '../errors/errors.ts'
import { introspectSchema } from '../introspect/introspect-schema.ts'
import type { Schema } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import type { SchemaArguments } from './arguments.ts'
import { reportText } from './print-schema.ts'
import { failure, type Terminal } from './terminal.ts'

/** Returns the schema of a file, or else of the database, and reports what is not in it as it is there. */
export async function readSchema(
  { schemaFile, options, isVerbose }: SchemaArguments,
  db: HostDatabase,
  { print }: Terminal,
): Promise<Schema> {
  if (schemaFile !== undefined) return loadSchema(schemaFile)
  const schema = await introspectSchema(db, options)
  print(reportText(schema.report, isVerbose))
  return schema
}

/** Loads the schema that a module exports as `schema`, or as its default. */
export const loadSchema = async (file: string): Promise<Schema> => schemaOf(await loadModule(file), file)

export function schemaOf(module: object, file: string): Schema {
  const schema: unknown = Reflect.get(module, 'schema') ?? Reflect.get(module, 'default')
  if (isSchema(schema)) return schema
  throw failure(`${quote(file)} exports no schema.`, 'Let it export const schema = defineSchema({ … }).')
}

export async function loadModule(file: string): Promise<object> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (cause) {
    const isUnread = cause instanceof Error && Reflect.get(cause, 'code') === 'ERR_UNKNOWN_FILE_EXTENSION'
    const hint = isUnread
      ? 'This Node reads JavaScript only: compile the file, or use Node 22.18 or newer.'
      : undefined
    throw failure(
      `${quote(file)} cannot be loaded: ${cause instanceof Error ? cause.message : quote(cause)}.`,
      hint,
      cause,
    )
  }
}

const isSchema = (value: unknown): value is Schema =>
  isRecord(value) && value.collections instanceof Map && 'definition' in value
