// Counts what the questions of an operation list of the schema, before anything is listed: a name that is asked for in each of many lists is as
// many values. The bound grows with the schema, because tools ask for all of it.
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  parse,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'
import { fault, unreachable } from '../../errors/errors.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor, once } from '../../values/memo.ts'
import { type Collecting, collectFields, type FieldNodes } from '../document/collect-fields.ts'
import { argumentsOf, type Parameters } from '../document/level-arguments.ts'
import { withoutVariables } from '../document/variables.ts'

type AnyField = GraphQLField<unknown, unknown>

/** Fields of `Query` that ask for the schema itself. */
const listedFields: Readonly<Record<string, AnyField>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
}

export const isIntrospection = ({ name }: FieldNode): boolean => Object.hasOwn(listedFields, name.value)

/** Counter of what the questions of one operation list. */
export class SchemaListing {
  readonly #collecting: Collecting
  readonly #whole: Sources
  #counted = 0

  constructor(collecting: Collecting) {
    this.#collecting = collecting
    this.#whole = wholeOf(collecting.schema)
  }

  /** Adds a question, and refuses it if all so far list too much. */
  add(nodes: FieldNodes): void {
    const max = maxValues(this.#collecting.schema)
    // What is more than too much is refused already.
    if (this.#counted > max) return
    this.#counted = countUpTo({ max, before: this.#counted }, nodes, this.#whole, this.#collecting)
    if (this.#counted > max)
      throw fault(
        'INVALID_QUERY',
        'The questions about the schema list more than twice what all of it takes.',
        { hint: 'Ask for each list of the schema once.' },
      )
  }
}

/** Values by how often their members are asked for. */
type Values = ReadonlyMap<unknown, number>

/** The values at one path of a schema, such as the types of all arguments. They are looked up when their number, or their members, are not
 *  known from an earlier question. */
class Sources {
  readonly #path: string
  readonly #values: () => Values
  readonly #schema: GraphQLSchema
  readonly #below = new Map<string, Sources>()

  constructor(path: string, values: () => Values, schema: GraphQLSchema) {
    this.#path = path
    this.#values = values
    this.#schema = schema
  }

  get size(): number {
    const sizes = memoFor(knownSizes, this.#schema, () => new Cache<number>(sizesKept))
    const known = sizes.get(this.#path)
    if (known !== undefined) return known
    const size = [...this.#values().values()].reduce((all, count) => all + count, 0)
    sizes.set(this.#path, size)
    return size
  }

  /** Returns the values that a field has of all of these. Fields under other names have the same. */
  below(field: AnyField, node: FieldNode, { variables }: Collecting): Sources {
    const args: Parameters = field === TypeMetaFieldDef ? argumentsOf(field, node, variables) : withDeprecated
    // A name that no type has may be of any length, and is not kept.
    const name = 'name' in args ? `"${this.#schema.getType(String(args.name))?.name}"` : field.name
    const known = this.#below.get(name)
    if (known) return known
    const values = once(() => this.#members(field, args))
    const made = new Sources(`${this.#path}/${name}`, values, this.#schema)
    this.#below.set(name, made)
    return made
  }

  #members(field: AnyField, args: Parameters): Values {
    const found = new Map<unknown, number>()
    // The resolvers of GraphQL.js for its own types read the schema, and nothing else.
    const info = { schema: this.#schema } as GraphQLResolveInfo
    for (const [value, count] of this.#values()) {
      const member: unknown = field.resolve?.(value, args, undefined, info)
      const all: readonly unknown[] = Array.isArray(member) ? member : [member]
      for (const one of all)
        if (one !== null && one !== undefined) found.set(one, (found.get(one) ?? 0) + count)
    }
    return found
  }
}

const withDeprecated = { includeDeprecated: true }
const knownSizes = new WeakMap<GraphQLSchema, Cache<number>>()
const sizesKept = 500

/** Returns the root of the paths of a schema. What an operation looks up goes with it. */
const wholeOf = (schema: GraphQLSchema): Sources => new Sources('', () => new Map([[undefined, 1]]), schema)

/** Returns how many values a question lists, added to those before it, until they are more than a bound. */
function countUpTo(
  { max, before }: { readonly max: number; readonly before: number },
  nodes: FieldNodes,
  whole: Sources,
  collecting: Collecting,
): number {
  let counted = before
  const listedField = listedFields[nodes[0].name.value]
  if (!listedField) throw unreachable('a field that is not listed')
  count(listedField, nodes, whole)
  return counted

  function count(field: AnyField, same: FieldNodes, sources: Sources): void {
    counted += sources.size
    const type = getNamedType(field.type)
    if (counted > max || !isObjectType(type)) return
    const inner = sources.below(field, same[0], collecting)
    // Nothing is asked of no value, however often a fragment doubles its fields.
    if (inner.size === 0) return
    for (const below of collectFields(type, same, collecting).values()) {
      const member = type.getFields()[below[0].name.value]
      if (member) count(member, below, inner)
      // The name of the type itself is none of its fields.
      else counted += inner.size
      if (counted > max) return
    }
  }
}

/** Returns the bound of a schema: twice what tools list, which ask for everything once. */
const maxValues = (schema: GraphQLSchema): number =>
  memoFor(bounds, schema, () => ({ max: 2 * wholeListing(schema) })).max

const bounds = new WeakMap<GraphQLSchema, { readonly max: number }>()

function wholeListing(schema: GraphQLSchema): number {
  const { definitions } = parse(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }))
  const fragments = new Map(
    definitions.flatMap((node) =>
      node.kind === 'FragmentDefinition' ? [[node.name.value, node] as const] : [],
    ),
  )
  const operation = definitions.find((node) => node.kind === 'OperationDefinition')
  const type = schema.getQueryType()
  if (!operation || !type) throw unreachable('a schema that cannot be queried')
  const [maxMembers, maxLevels] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const variables = withoutVariables(schema)
  const collecting: Collecting = { schema, fragments, variables, maxMembers, maxLevels }
  const [nodes] = collectFields(type, [operation], collecting).values()
  if (!nodes) throw unreachable('a question without a field')
  return countUpTo({ max: Number.POSITIVE_INFINITY, before: 0 }, nodes, wholeOf(schema), collecting)
}
