// Parses and validates documents, once for each schema.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { Cache } from '../../values/cache.ts'
import { memoFor } from '../../values/memo.ts'
import type { DocumentWords } from '../schema/build-schema.ts'
import type { CallerSchema } from '../schema/schema-for.ts'
import { crowdedSelection } from './collect-fields.ts'

interface ValidDocument {
  readonly schema: GraphQLSchema
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

export interface DocumentBounds {
  readonly tokens: number
  /** Fields under other names, in one selection. */
  readonly aliases: number
  readonly introspection: boolean
}

type Refused = readonly GraphQLError[]

/** Documents by their bounds, and by their texts. */
const documents = new WeakMap<CallerSchema, Map<string, Cache<ValidDocument>>>()
const documentsKept = 500
/** A longer text is read each time: the memory that documents take has to have a bound, too. */
const longestKept = 20_000

/** Returns the document of a text, or why it is refused. What was refused is not kept. */
export function readDocument(
  text: string,
  caller: CallerSchema,
  bounds: DocumentBounds,
): ValidDocument | Refused {
  const known = documentsWithin(bounds, caller)
  const found = known.get(text)
  if (found) return found
  const parsed = parsedText(text, bounds)
  if (isRefused(parsed)) return parsed
  const crowded = crowdedIn(parsed, bounds)
  if (crowded) return [crowded]
  const unanswered = unansweredOperation(parsed, caller)
  if (unanswered) return [unanswered]
  const read = validated(parsed, caller, bounds)
  if (!isRefused(read) && text.length <= longestKept) known.set(text, read)
  return read
}

/** Handlers of one engine may have other bounds. */
function documentsWithin(
  { tokens, aliases, introspection }: DocumentBounds,
  caller: CallerSchema,
): Cache<ValidDocument> {
  const all = memoFor(documents, caller, () => new Map())
  const id = `${tokens} ${aliases} ${introspection}`
  const known = all.get(id)
  if (known) return known
  const made = new Cache<ValidDocument>(documentsKept)
  all.set(id, made)
  return made
}

export const isRefused = (read: object): read is Refused => Array.isArray(read)

function parsedText(text: string, { tokens }: DocumentBounds): DocumentNode | Refused {
  try {
    return parse(text, { maxTokens: tokens })
  } catch (error) {
    if (error instanceof GraphQLError) return [error]
    throw error
  }
}

/** Returns the error for a selection with too many names of its own: each is computed on its own. */
function crowdedIn(document: DocumentNode, { aliases: max }: DocumentBounds): GraphQLError | undefined {
  let found: GraphQLError | undefined
  visit(document, {
    SelectionSet: (node) => {
      const own = node.selections.filter((one) => one.kind === 'Field' && one.alias)
      if (own.length <= max) return
      found ??= new GraphQLError(crowdedSelection(max), { nodes: node })
    },
  })
  return found
}

/** Returns the error for an operation that the caller's schema has no type for. Versions of GraphQL.js disagree whether that is for validation. */
function unansweredOperation(
  { definitions }: DocumentNode,
  { hasMutations, hasSubscriptions }: CallerSchema,
): GraphQLError | undefined {
  for (const node of definitions) {
    if (node.kind !== 'OperationDefinition') continue
    if (node.operation === 'subscription' && !hasSubscriptions)
      return new GraphQLError('There are no subscriptions, or you may not use them.', { nodes: node })
    if (node.operation === 'mutation' && !hasMutations)
      return new GraphQLError('There are no mutations, or you may not use them.', {
        nodes: node,
        extensions: { code: 'FORBIDDEN' },
      })
  }
  return undefined
}

/** Validates by the types that a document names, which are built in a fraction of the time of all. What fails there is validated by the
 *  whole schema, which makes better suggestions. */
function validated(
  document: DocumentNode,
  caller: CallerSchema,
  { introspection }: DocumentBounds,
): ValidDocument | Refused {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule]
  const words = wordsOf(document)
  if (!words.names.has('__schema') && !words.names.has('__type')) {
    const schema = caller.forWords(words)
    if (validate(schema, document, rules, { maxErrors: 1 }).length === 0)
      return { ...partsOf(document), schema }
  }
  const schema = caller.whole()
  const problems = validate(schema, document, rules)
  if (problems.length === 0) return { ...partsOf(document), schema }
  return introspection ? problems : problems.map(withoutSuggestion)
}

/** Suggestions name what introspection would show. */
export const withoutSuggestion = (problem: GraphQLError): GraphQLError =>
  new GraphQLError(problem.message.replace(/ Did you mean .*$/s, ''), { nodes: problem.nodes ?? null })

/** Returns what a document names of a schema. An alias names nothing of it. */
export function wordsOf(document: DocumentNode): DocumentWords {
  const names = new Set<string>()
  let levels = 0
  let depth = 0
  let deepest = 0
  // Also one without names is a level.
  const level = {
    enter: () => {
      deepest = Math.max(deepest, ++depth)
    },
    leave: () => {
      depth--
    },
  }
  for (const definition of document.definitions) {
    deepest = 0
    visit(definition, {
      Name: ({ value }, place) => {
        if (place !== 'alias') names.add(value)
      },
      SelectionSet: level,
      ObjectValue: level,
    })
    // A fragment may stand at the end of any other.
    levels += deepest
  }
  return { names, levels }
}

function partsOf({ definitions }: DocumentNode): Omit<ValidDocument, 'schema'> {
  const operations: OperationDefinitionNode[] = []
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions)
    if (definition.kind === 'OperationDefinition') operations.push(definition)
    else if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
  return { operations, fragments }
}
