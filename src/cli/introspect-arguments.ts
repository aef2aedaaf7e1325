import { readFileSync } from 'node:fs'
import { wordHint } from '../errors/suggest.ts'
import type { IntrospectOptions } from '../introspect/introspect-options.ts'
import { fieldTypes, isFieldType } from '../types/field-types.ts'
import { isRecord } from '../values/guards.ts'
import { failure, misuse, reasonOf } from './terminal.ts'

export interface DatabaseValues {
  readonly include?: string[] | undefined
  readonly exclude?: string[] | undefined
  readonly 'db-schema'?: string[] | undefined
  readonly key?: string[] | undefined
  readonly type?: string[] | undefined
  readonly relation?: string[] | undefined
  readonly overrides?: string | undefined
  readonly verbose?: boolean | undefined
}

export function introspectOptions({
  include,
  exclude,
  'db-schema': dbSchemas,
  key = [],
  type = [],
  relation,
  overrides,
}: DatabaseValues): IntrospectOptions {
  const said = overrides === undefined ? {} : overridesIn(overrides)
  refuseTwice(key, '--key says twice what identifies')
  refuseTwice(type, '--type says twice what is')
  const override = [...key.map(keyFrom), ...type.map(typeFrom)].reduce(withOverride, said)
  return {
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(dbSchemas && { dbSchemas }),
    ...(relation && { relations: relationsFrom(relation) }),
    ...(Object.keys(override).length > 0 && { override }),
  }
}

/** Refuses two arguments about the same name: one of them would count for nothing. */
function refuseTwice(texts: readonly string[], saying: string): void {
  const names = texts.map((text) => text.slice(0, text.lastIndexOf('=')))
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) < at)
  if (twice !== undefined) throw misuse(`${saying} ${JSON.stringify(twice)}.`)
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
    throw misuse(
      `--type takes collection.field=type, with a type of fields, not ${JSON.stringify(text)}.`,
      at < 1 ? undefined : wordHint('type', type, Object.keys(fieldTypes)),
    )
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
