// Reads values of a payload into column values, or returns the reason why they cannot be stored.

import type { KeyField, OwnField, ScalarField } from '../../schema/model.ts'
import { familyRow } from '../../types/families.ts'
import { accepted, type StoredRead, wrongType } from '../../types/family-row.ts'
import { elementType, type ValueType } from '../../types/field-types.ts'
import { readJson } from '../../types/json.ts'
import { isRecord } from '../../values/guards.ts'

/** Reads a value that is not null. */
export function readStored(field: OwnField | KeyField, input: unknown): StoredRead {
  const { value: type } = field
  const read = type.isArray ? readList(input, type) : readSingle(input, type)
  return read.kind === 'value' && field.kind === 'scalar' ? checkedBySchema(read, field) : read
}

function readList(input: unknown, type: ValueType): StoredRead {
  if (!Array.isArray(input)) return wrongType('a list')
  const element = elementType(type)
  const values: unknown[] = []
  for (const one of input) {
    if (one === null) {
      values.push(null)
      continue
    }
    const read = readSingle(one, element)
    if (read.kind === 'mistake') return { ...read, says: `${read.says} in each place of its list` }
    values.push(read.value)
  }
  return accepted(values)
}

const readSingle = (input: unknown, type: ValueType): StoredRead => familyRow(type.family).store(input, type)

/** Validates a JSON value by the host's own validator. It may change the value, and has to be synchronous. */
function checkedBySchema(read: StoredRead & { readonly kind: 'value' }, { schema }: ScalarField): StoredRead {
  if (!schema) return read
  const result = schema['~standard'].validate(read.value)
  if (!isRecord(result)) return wrongType('a JSON value that a validator can check at once')
  if (Array.isArray(result.issues))
    return {
      kind: 'mistake',
      code: 'FAILED_VALIDATION',
      type: 'schema',
      says: 'does not take this JSON value',
      valid: result.issues.slice(0, 10).map(issueText),
    }
  return readJson(result.value)
}

const issueText = (issue: unknown): string =>
  isRecord(issue) && typeof issue.message === 'string' ? issue.message : 'not valid'
