// Describes an operation, and adds the parts that all of them have in common.

import type { Action } from '../../access/access.ts'
import type { VisibleActions } from '../../access/visible-actions.ts'
import type { ErrorCode } from '../../errors/errors.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import type { Images } from '../../variants/images.ts'
import type { MountOperation, MountRoute } from '../mounts/mount.ts'
import { isVariable } from '../routes.ts'
import { componentName, parameterNamed } from './component-names.ts'
import type {
  OpenApiBody,
  OpenApiComponents,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPath,
  OpenApiReference,
} from './document.ts'
import { errorResponsesOf } from './error-responses.ts'
import { type OperationResponses, withEntityTag } from './responses.ts'

export interface Around {
  /** Collections whose items have versions. */
  readonly subjects: readonly VisibleActions[]
  readonly pictures: Images
  /** True if addresses may be signed. */
  readonly isSigned: boolean
}

type Of<Part> = (visible: VisibleActions, around: Around) => Part

/** An operation. What depends on the collection and its caller is a function of them. */
export interface OperationRow {
  readonly verb: string
  /** `{name}` stands for the collection. */
  readonly summary: string | Of<string>
  readonly description?: string
  /** The action that the caller has to be allowed, or a test of more. */
  readonly may: Action | Of<unknown>
  readonly parameters: Of<readonly OpenApiReference[]>
  readonly body?: Of<JsonSchema>
  readonly isBodyOptional?: true
  /** Schema of a body that is a form with bytes. */
  readonly form?: Of<JsonSchema | undefined>
  readonly responses: Of<OperationResponses>
  readonly faults?: Of<readonly ErrorCode[]>
}

export type OperationRows = Readonly<Record<string, OperationRow>>

const ofBodies: readonly ErrorCode[] = ['INVALID_PAYLOAD', 'CONTENT_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/** Builds an operation; undefined if it is not allowed. `suffix`: distinguishes it from others of the same method. */
export function operationOf(
  row: OperationRow,
  visible: VisibleActions,
  around: Around,
  { method, suffix }: { readonly method: string; readonly suffix: string },
): OpenApiOperation | undefined {
  if (!isAllowed(row, visible, around)) return undefined
  const { verb, summary, description } = row
  const isRead = method === 'GET'
  const responses = row.responses(visible, around)
  const requestBody = bodyOf(row, visible, around)
  const faults = [...(row.faults?.(visible, around) ?? []), ...(requestBody ? ofBodies : [])]
  return {
    operationId: `${verb}${suffix}`,
    summary:
      typeof summary === 'string' ? summary.replace('{name}', () => visible.name) : summary(visible, around),
    ...(description !== undefined && { description }),
    tags: [visible.name],
    parameters: [...row.parameters(visible, around), ...(isRead ? [parameterNamed('ifNoneMatch')] : [])],
    ...(isRead && around.isSigned && { security: [{ bearer: [] }, { signed: [] }] }),
    ...(requestBody && { requestBody }),
    responses: { ...(isRead ? withEntityTag(responses) : responses), ...errorResponsesOf(faults) },
  }
}

function isAllowed({ may }: OperationRow, visible: VisibleActions, around: Around): boolean {
  if (typeof may === 'function') return Boolean(may(visible, around))
  return may === 'read' ? visible.seen !== undefined : visible.may(may)
}

function bodyOf(row: OperationRow, visible: VisibleActions, around: Around): OpenApiBody | undefined {
  const [body, form] = [row.body?.(visible, around), row.form?.(visible, around)]
  const content = {
    ...(body && { 'application/json': { schema: body } }),
    ...(form && { 'multipart/form-data': { schema: form } }),
  }
  return body || form ? { required: !row.isBodyOptional, content } : undefined
}

interface DescribedMounts {
  readonly paths: readonly (readonly [string, OpenApiPath])[]
  readonly parameters: OpenApiComponents['parameters']
}

export interface DescribedRoute extends Pick<MountRoute, 'path' | 'operations'> {
  readonly methods: Readonly<Record<string, unknown>>
}

/** Returns the paths of routes that describe themselves, with the parameters that they refer to. */
export function describeRoutes(routes: readonly DescribedRoute[]): DescribedMounts {
  const described = routes.filter((route) => operationsOf(route).length > 0)
  return {
    paths: described.map((route) => [pathOf(route), methodsOf(route)]),
    parameters: Object.fromEntries(
      described.flatMap((route) => [
        ...namesIn(route).map((name) => [inPath(name), pathParameter(name)] as const),
        ...operationsOf(route).flatMap(([method, { operationId, parameters = [] }]) =>
          parameters.map(
            (parameter) => [named(operationId ?? idOf(route, method), parameter), parameter] as const,
          ),
        ),
      ]),
    ),
  }
}

/** OpenAPI has a fixed set of methods. */
const operationsOf = ({ operations = {} }: DescribedRoute): readonly (readonly [string, MountOperation])[] =>
  Object.entries(operations).filter(([method]) => /^(GET|POST|PUT|PATCH|DELETE)$/.test(method))

const partsOf = ({ path }: DescribedRoute): readonly string[] => path.split('/').filter(Boolean)

const namesIn = (route: DescribedRoute): readonly string[] =>
  partsOf(route)
    .filter(isVariable)
    .map((part) => part.slice(1))

const pathOf = (route: DescribedRoute): string =>
  `/${partsOf(route)
    .map((part) => (isVariable(part) ? `{${part.slice(1)}}` : encodeURIComponent(part)))
    .join('/')}`

function methodsOf(route: DescribedRoute): OpenApiPath {
  const names = namesIn(route)
  return {
    ...(names.length > 0 && { parameters: names.map((name) => parameterNamed(inPath(name))) }),
    ...Object.fromEntries(
      operationsOf(route).map(([method, operation]) => [
        method.toLowerCase(),
        ofMount(route, method, operation),
      ]),
    ),
  }
}

function ofMount(route: DescribedRoute, method: string, described: MountOperation): OpenApiOperation {
  const { operationId = idOf(route, method), tags = [], parameters = [], requestBody } = described
  const { summary, description, responses = { 200: { description: 'The answer.' } } } = described
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags,
    parameters: parameters.map((parameter) => parameterNamed(named(operationId, parameter))),
    // A method without a function is answered before the caller is known.
    ...(!Object.hasOwn(route.methods, method) && { security: [] }),
    ...(requestBody && { requestBody }),
    responses: { ...errorResponsesOf(requestBody ? ofBodies : []), ...responses },
  }
}

/** Returns the name of an operation that has none: `get_live_by_collection`. */
const idOf = (route: DescribedRoute, method: string): string =>
  [
    method.toLowerCase(),
    ...partsOf(route).map((part) => part.replace(/^:/, 'by_').replaceAll(/\W+/g, '_')),
  ].join('_')

const inPath = (name: string): string => `_path.${name}`

const named = (operationId: string, { name, in: place }: OpenApiParameter): string =>
  `_${componentName(operationId)}.${place}.${componentName(name)}`

const pathParameter = (name: string): OpenApiParameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
})
