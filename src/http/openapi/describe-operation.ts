// Describes an operation, and adds the parts that all of them have in common.

import type { VisibleActions } from '../../access/visible-actions.ts'
import type { ErrorCode } from '../../errors/errors.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import type { Images } from '../../variants/images.ts'
import type { OpenApiBody, OpenApiOperation, OpenApiReference } from './document.ts'
import { errorResponsesOf } from './error-responses.ts'
import type { OperationResponses } from './responses.ts'

export interface DescribedOperation {
  /** Prefix of the operation id. */
  readonly verb: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly OpenApiReference[]
  readonly body?: JsonSchema
  readonly isBodyOptional?: true
  /** Schema of a body that is a form with bytes. */
  readonly form?: JsonSchema
  readonly responses: OperationResponses
  /** Errors specific to the operation. */
  readonly faults?: readonly ErrorCode[]
}

/** Context of the description of an operation. */
export interface Around {
  /** Collections whose items have versions. */
  readonly subjects: readonly VisibleActions[]
  readonly pictures: Images
}

/** Describes an operation. Undefined if it is not allowed. */
export type Describe = (visible: VisibleActions, around: Around) => DescribedOperation | undefined

const ofBodies: readonly ErrorCode[] = ['INVALID_PAYLOAD', 'CONTENT_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/** Builds an operation. `suffix`: distinguishes it from others of the same method. */
export function operationOf(described: DescribedOperation, suffix: string, tag: string): OpenApiOperation {
  const { verb, summary, description, parameters, responses, faults = [] } = described
  const requestBody = bodyOf(described)
  return {
    operationId: `${verb}${suffix}`,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    parameters,
    ...(requestBody && { requestBody }),
    responses: { ...responses, ...errorResponsesOf([...faults, ...(requestBody ? ofBodies : [])]) },
  }
}

function bodyOf({ body, form, isBodyOptional }: DescribedOperation): OpenApiBody | undefined {
  const content = {
    ...(body && { 'application/json': { schema: body } }),
    ...(form && { 'multipart/form-data': { schema: form } }),
  }
  return body || form ? { required: !isBodyOptional, content } : undefined
}
