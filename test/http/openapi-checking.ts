// Holds requests and answers against a document, by a validator of JSON Schema.

import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import type { OpenApiDocument } from '../../src/http.ts'
import type { Ask } from './openapi-collections.ts'

export type Json = Readonly<Record<string, unknown>>

const id = 'https://example.org/document'

/** Whatever of a document can be validated. */
export class Checker {
  readonly document: OpenApiDocument
  /** The operations and statuses that were met, as `get /items/{…} 200`. */
  readonly met = new Set<string>()
  readonly #ajv: Ajv2020

  constructor(document: OpenApiDocument) {
    this.document = document
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ ...document, $id: id })
  }

  /** What is wrong with a value by the schema at a place of the document; undefined when nothing is. */
  problem(steps: readonly string[], value: unknown): string | undefined {
    const pointer = steps
      .map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map((step) => `/${encodeURIComponent(step)}`)
    const validate = this.#ajv.getSchema(`${id}#${pointer.join('')}`)
    if (!validate) throw new Error(`the document has nothing at ${pointer.join('')}`)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors)
  }

  problemBy(schema: string, value: unknown): string | undefined {
    return this.problem(['components', 'schemas', schema], value)
  }

  /** The path of the document that a request is about. What stands there literally comes first. */
  pathOf(url: string): string | undefined {
    const { pathname } = new URL(url, 'http://localhost')
    const parts = pathname.split('/')
    const fitting = Object.keys(this.document.paths).filter((path) => {
      const wanted = path.split('/')
      return (
        wanted.length === parts.length &&
        wanted.every((part, at) => /^{.*}$/.test(part) || part === parts[at])
      )
    })
    return fitting.sort((one, other) => one.split('{').length - other.split('{').length)[0]
  }

  /** Asks, and expects an answer that is described. */
  readonly checking =
    (ask: Ask): Ask =>
    async (method, url, body, headers) => {
      const response = await ask(method, url, body, headers)
      await this.expectDescribed(method, url, response.clone())
      return response
    }

  async expectDescribed(method: string, url: string, response: Response): Promise<void> {
    const path = this.pathOf(url)
    if (path === undefined) throw new Error(`${url} is not described`)
    const what = `${method} ${url}: ${response.status}`
    const operation = ['paths', path, method.toLowerCase()]
    const responses = at(this.document, [...operation, 'responses'])
    const status = String(response.status)
    expect(Object.keys(responses), what).toContain(status)
    this.met.add(`${method.toLowerCase()} ${path} ${status}`)
    const place = this.#followed([...operation, 'responses', status])
    const described = at(this.document, place)
    const type = response.headers.get('content-type')?.split(';')[0]
    if (described.content === undefined) {
      expect([what, await response.text()]).toEqual([what, ''])
      return
    }
    expect(Object.keys(Object(described.content)), what).toContain(type)
    if (type !== 'application/json') return
    const problem = this.problem([...place, 'content', type, 'schema'], await response.json())
    expect([what, problem]).toEqual([what, undefined])
  }

  #followed(steps: readonly string[]): readonly string[] {
    const { $ref } = at(this.document, steps)
    return typeof $ref === 'string' ? $ref.slice(2).split('/') : steps
  }
}

/** What a document holds at a place. */
export function at(document: object, steps: readonly string[]): Json {
  let found: unknown = document
  for (const step of steps) found = Reflect.get(Object(found), step)
  if (typeof found !== 'object' || found === null) throw new Error(`there is nothing at ${steps.join('/')}`)
  return found as Json
}

/** What is wrong with a document by the schema of OpenAPI 3.1, and with its references. */
export async function mistakes(of: OpenApiDocument): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(of)))
  return valid ? undefined : errors
}

export const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.values(paths).flatMap(({ get, post, patch, delete: remove }) =>
    [get, post, patch, remove].filter((operation) => operation !== undefined),
  )
