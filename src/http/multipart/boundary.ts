import { fault } from '../../errors/errors.ts'

/** Returns the boundary between the parts of a form, from its content type; undefined for any other type. */
export function boundaryIn(type: string | undefined): string | undefined {
  if (type === undefined || !isForm.test(type)) return undefined
  const [, quoted, plain] = parameter.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary !== undefined && legal.test(boundary)) return boundary
  throw fault(
    'INVALID_PAYLOAD',
    'The content type of a form names its boundary: multipart/form-data; boundary=….',
  )
}

const isForm = /^multipart\/form-data[ \t]*(;|$)/i
const parameter = /;[ \t]*boundary=(?:"([^"\\]*)"|([^\s;"]*))/i

// RFC 2046, section 5.1.1.
const legal = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/
