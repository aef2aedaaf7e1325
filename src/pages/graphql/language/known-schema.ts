// The schema as introspected from the server, by names.

export interface KnownSchema {
  readonly types: ReadonlyMap<string, KnownType>
  readonly directives: ReadonlyMap<string, KnownDirective>
  /** Name of the type of each operation that there is: `query`, `mutation`, `subscription`. */
  readonly roots: ReadonlyMap<string, string>
}

export interface KnownType {
  readonly name: string
  readonly kind: string
  readonly description: string
  /** Fields of an object or an interface. */
  readonly fields: ReadonlyMap<string, KnownField>
  readonly inputs: ReadonlyMap<string, KnownInput>
  readonly values: readonly KnownValue[]
  /** Types that a union or an interface stands for. */
  readonly possible: readonly string[]
}

export interface KnownInput {
  readonly name: string
  readonly description: string
  /** As it is written: `[ID!]!`. */
  readonly type: string
  /** The value where none is given, as it is written. */
  readonly initial: string | undefined
}

export interface KnownField extends Pick<KnownInput, 'name' | 'description' | 'type'> {
  readonly args: ReadonlyMap<string, KnownInput>
  readonly isDeprecated: boolean
}

type KnownValue = Pick<KnownField, 'name' | 'description' | 'isDeprecated'>

interface KnownDirective extends Pick<KnownField, 'name' | 'description' | 'args'> {
  readonly locations: readonly string[]
}

/** The document that asks for it. */
export const schemaQuestion = `query Schema {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    types {
      kind name description
      fields(includeDeprecated: true) { name description isDeprecated args { ...input } type { ...type } }
      inputFields { ...input }
      enumValues(includeDeprecated: true) { name description isDeprecated }
      possibleTypes { name }
    }
    directives { name description locations args { ...input } }
  }
}
fragment input on __InputValue { name description defaultValue type { ...type } }
fragment type on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
}`

export function readSchema(data: unknown): KnownSchema | undefined {
  const schema = member(data, '__schema')
  if (typeof schema !== 'object' || schema === null) return undefined
  const roots = ['query', 'mutation', 'subscription'].flatMap((operation) => {
    const name = text(member(schema, `${operation}Type`), 'name')
    return name ? [[operation, name] as const] : []
  })
  return {
    types: byName(list(schema, 'types').map(readType)),
    directives: byName(
      list(schema, 'directives').map((one) => ({
        ...named(one),
        args: inputsIn(one, 'args'),
        locations: list(one, 'locations').map(String),
      })),
    ),
    roots: new Map(roots),
  }
}

const readType = (type: unknown): KnownType => ({
  ...named(type),
  kind: text(type, 'kind'),
  fields: byName(
    list(type, 'fields').map((field) => ({
      ...value(field),
      type: typeText(member(field, 'type')),
      args: inputsIn(field, 'args'),
    })),
  ),
  inputs: inputsIn(type, 'inputFields'),
  values: list(type, 'enumValues').map(value),
  possible: list(type, 'possibleTypes').map((one) => text(one, 'name')),
})

const named = (one: unknown) => ({ name: text(one, 'name'), description: text(one, 'description') })

const value = (one: unknown): KnownValue => ({
  ...named(one),
  isDeprecated: member(one, 'isDeprecated') === true,
})

const inputsIn = (one: unknown, name: string): ReadonlyMap<string, KnownInput> =>
  byName(
    list(one, name).map((input) => ({
      ...named(input),
      type: typeText(member(input, 'type')),
      initial: text(input, 'defaultValue') || undefined,
    })),
  )

function typeText(type: unknown): string {
  const inner = member(type, 'ofType')
  const kind = text(type, 'kind')
  if (kind === 'NON_NULL') return `${typeText(inner)}!`
  return kind === 'LIST' ? `[${typeText(inner)}]` : text(type, 'name')
}

const byName = <One extends { readonly name: string }>(all: readonly One[]): ReadonlyMap<string, One> =>
  new Map(all.map((one) => [one.name, one]))

const member = (one: unknown, name: string): unknown => Reflect.get(Object(one), name)

const text = (one: unknown, name: string): string => {
  const found = member(one, name)
  return typeof found === 'string' ? found : ''
}

function list(one: unknown, name: string): readonly unknown[] {
  const found = member(one, name)
  return Array.isArray(found) ? found : []
}

/** The name in a type as it is written: `ID` of `[ID!]!`. */
export const nameOfType = (type: string): string => type.replace(/[[\]!\s]/g, '')

/** `ID!` of `[ID!]!`. One value may stand for a list of it. */
export const elementOf = (type: string): string => /^\[(.*)\]!?$/.exec(type)?.[1] ?? type

/** True for a field without fields of its own. */
export const isLeaf = (schema: KnownSchema, type: string): boolean => {
  const found = schema.types.get(nameOfType(type))
  return !found || ['SCALAR', 'ENUM'].includes(found.kind)
}
