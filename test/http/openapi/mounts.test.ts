// Mounts in the document of OpenAPI: what they describe of themselves.
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, describeApi, type Mount, type OpenApiDocument } from '../../../src/http.ts'
import type { Engine } from '../../../src/index.ts'
import { mistakes } from '../openapi-checking.ts'
import { openWorld, type World } from '../openapi-collections.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const answer = async () => ({ status: 200, headers: {}, body: '' })

const flows: Mount = {
  routes: () => [
    { path: '/flows', methods: { GET: answer } },
    {
      path: 'flows/:id/by day/:name',
      methods: { GET: answer, POST: answer, SEARCH: answer, DELETE: answer },
      operations: {
        GET: {
          summary: 'Reads runs.',
          description: 'Of one flow.',
          tags: ['flows'],
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'integer' } },
            { name: 'limit', in: 'header', schema: { type: 'string' } },
            { name: 'in[a]', in: 'query', schema: { type: 'string' } },
          ],
          responses: { 200: { description: 'Runs.' } },
        },
        POST: {
          operationId: 'run',
          summary: 'Runs it.',
          requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
        },
        // OpenAPI has no such method.
        SEARCH: { summary: 'Searches.' },
      },
    },
    {
      path: '/health',
      methods: {},
      open: answer,
      operations: { GET: { summary: 'Says that all is well.' } },
    },
    { path: '/none', methods: { GET: answer }, operations: {} },
    { path: '/search', methods: {}, operations: { SEARCH: { summary: 'Searches.' } } },
  ],
}

describe('the document with mounts', () => {
  let document: OpenApiDocument
  beforeAll(() => {
    document = describeApi(world.engine, { mounts: [flows] })
  })

  it('is valid, and the same as without them but for what they describe', async () => {
    expect(await mistakes(document)).toBeUndefined()
    const without = describeApi(world.engine)
    const own = ['/flows/{id}/by%20day/{name}', '/health']
    expect(Object.keys(document.paths)).toEqual([...Object.keys(without.paths), ...own])
    const { paths, components, ...rest } = document
    const { parameters, ...others } = components
    const { paths: pathsBefore, components: before, ...restBefore } = without
    const { parameters: parametersBefore, ...othersBefore } = before
    expect([rest, others]).toEqual([restBefore, othersBefore])
    expect(paths).toMatchObject(pathsBefore)
    expect(parameters).toMatchObject(parametersBefore)
  })

  it('lists paths with the parameters in them, and methods as they are described', () => {
    const ref = (name: string) => ({ $ref: `#/components/parameters/${name}` })
    const path = document.paths['/flows/{id}/by%20day/{name}']
    const id = 'get_flows_by_id_by_day_by_name'
    expect(path).toEqual({
      parameters: [ref('_path.id'), ref('_path.name')],
      get: expect.objectContaining({
        operationId: id,
        summary: 'Reads runs.',
        description: 'Of one flow.',
        tags: ['flows'],
        parameters: [ref(`_${id}.query.limit`), ref(`_${id}.header.limit`), ref(`_${id}.query.in.5b.a.5d.`)],
      }),
      post: expect.objectContaining({ operationId: 'run', summary: 'Runs it.', tags: [], parameters: [] }),
    })
    expect(document.components.parameters['_path.id']).toEqual({
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })
    expect(Object.keys(path?.get?.responses ?? {})).toEqual(expect.arrayContaining(['200', '401', 'default']))
    expect(Object.keys(path?.post?.responses ?? {})).toEqual(expect.arrayContaining(['200', '413', '415']))
    expect([path?.get?.security, document.paths['/health']?.get?.security]).toEqual([undefined, []])
  })

  it('is of any caller, and asks for the routes of an engine once', () => {
    const made: string[] = []
    const mount = (engine: Engine): Mount => {
      made.push(`made, ${engine.schema.collections.size > 0}`)
      return {
        engine,
        routes: () => {
          made.push('routes')
          return flows.routes(engine)
        },
      }
    }
    const nobody = describeApi(world.engine.as({}), { mounts: [mount] })
    expect(Object.keys(nobody.paths)).toEqual(['/flows/{id}/by%20day/{name}', '/health'])
    createHandler(world.engine, { authenticate: () => null, mounts: [mount] })
    createHandler(world.engine, { authenticate: () => null, mounts: [mount] })
    describeApi(world.engine, { mounts: [mount] })
    expect(made).toEqual(['made, true', 'routes'])
  })

  it.each([[{}], [7], [null]])('refuses %j, which is no mount', (mount) => {
    expect(() => describeApi(world.engine, { mounts: [mount as never] })).toThrow(
      'A mount needs "routes", a function',
    ) // as JavaScript may have it
  })
})
