// What the document says of files, and of what is made of pictures.
import { beforeAll, describe, expect, it } from 'vitest'
import { isEngineError } from '../../../src/errors/errors.ts'
import { describeApi, type OpenApiDocument } from '../../../src/http.ts'
import { parameterKinds, readParameters } from '../../../src/images/image-parameters.ts'
import { operationNames, sameOperations } from '../../../src/images/operations/operation-names.ts'
import { operations, readStep } from '../../../src/images/operations/operations.ts'
import { type AssetSettings, createEngine } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage.ts'
import { at, Checker, mistakes } from '../openapi-checking.ts'
import { openWorld, type World } from '../openapi-collections.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const settled = (assets: AssetSettings): OpenApiDocument => {
  const { db, schema } = world.engine
  return describeApi(createEngine({ db, schema, storage: memoryStorage(), assets }))
}

const ofAssets = ({ paths }: OpenApiDocument) =>
  (paths['/assets/{id}']?.get?.parameters ?? []).map(({ $ref }) => $ref.split('/').at(-1))
const ofImages = (document: OpenApiDocument) => ofAssets(document).filter((name) => name?.startsWith('_'))

const presets = [
  { key: 'small', width: 100 },
  { key: 'grey', transforms: [['greyscale']] },
] as const

describe('the parameters of pictures', () => {
  it('are those that addresses take', async () => {
    const document = settled({ presets })
    expect(ofImages(document)).toEqual(Object.keys(parameterKinds).map((name) => `_image.${name}`))
    expect(document.paths['/assets/{id}/{filename}']?.get?.parameters).toEqual(
      document.paths['/assets/{id}']?.get?.parameters,
    )
    expect(await mistakes(document)).toBeUndefined()
    const { parameters } = document.components
    expect(parameters['_image.width']).toMatchObject({
      name: 'width',
      in: 'query',
      schema: { type: 'integer', minimum: 1, maximum: 100_000 },
    })
    expect(parameters['_image.quality']?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100 })
    expect(parameters['_image.fit']?.schema).toEqual({
      type: 'string',
      enum: ['cover', 'contain', 'inside', 'outside'],
    })
    expect(parameters['_image.withoutEnlargement']?.schema).toEqual({ type: 'boolean' })
    expect(parameters['_image.key']?.schema).toEqual({ type: 'string', enum: ['small', 'grey'] })
    expect(parameters['_image.format']?.schema?.enum).toEqual(
      expect.arrayContaining(['auto', 'jpg', 'jpeg', 'png', 'webp', 'avif', 'tiff', 'gif']),
    )
    expect(ofAssets(document)).toContain('download')
    for (const { description } of Object.values(parameters)) expect(description).not.toMatch(/\]\(/)
  })

  it('are only those that the engine allows', () => {
    expect(ofImages(settled({}))).not.toContain('_image.key')
    expect(ofImages(settled({ allowed: 'presets', presets }))).toEqual(['_image.key'])
    const closed = settled({ allowed: 'none', presets })
    expect(ofImages(closed)).toEqual([])
    expect(JSON.stringify(closed)).not.toContain('_image.')
    expect(Object.keys(closed.components.schemas)).not.toContain('_transforms')
    const { _transforms } = settled({ limits: { operations: 2 } }).components.schemas
    expect(_transforms).toMatchObject({ type: 'array', maxItems: 2 })
  })

  it('are nothing to a caller who sees no files, or an engine that keeps none', () => {
    const { db, schema } = world.engine
    const blind = world.engine.as({ rules: { articles: { read: true } } })
    for (const engine of [blind, createEngine({ db, schema })]) {
      const told = JSON.stringify(describeApi(engine))
      expect(told).not.toMatch(/_image|_transforms|multipart|"\/assets/)
    }
  })
})

const values: readonly unknown[] = [
  ...[null, true, false, 'true', 'yes', '', 'red', 'RGB(1, 2, 3)', '#12345', 'cover', 'fill', 'copy', 'b-w'],
  ...['and', 'alpha', 'cubic', 'jpeg', 'tif', 'auto', 'small', 'x'.repeat(65), 'x'.repeat(256)],
  ...[-361, -1, 0, 0.2, 0.5, 1, 2.2, 3, 5, 45, 100, 101, 128, 255, 256, 100_000, 100_001, 1e21],
  ...['0', '007', '5', '5.0', '-3', '1e3', '0x10', ' 5', '0.5'],
  ...[[], [1, 2, 3], ['1', 2, 3], [1, 2], Array(9).fill(1), Array(226).fill(1)],
  ...[Array(3).fill([1, 0, '0']), Array(3).fill([1, 0])],
  ...[{}, { r: 1, g: 2, b: 3 }, { r: '1', g: '2', b: '3', alpha: '0.5' }, { r: 1, g: 2 }, { width: 3 }],
]

const isRead = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch (error) {
    if (!isEngineError(error)) throw error
    return false
  }
}

/** Entries of all kinds: an argument where it belongs, by its name, and behind others. */
const entriesOf = (name: (typeof operationNames)[number]): unknown[][] => {
  const names = Object.keys(operations[name].takes)
  const some = [undefined, 3, '5', 'red'].flatMap((first) =>
    names.map((_, at) => Array<unknown>(at).fill(first ?? null)),
  )
  const placed = some.flatMap((before) => values.map((value) => [name, ...before, value]))
  const named = names.flatMap((argument) =>
    values.flatMap((value) => [
      [name, { [argument]: value }],
      [name, { width: 3, height: '3', [argument]: value }],
    ]),
  )
  return [
    [name],
    [name, {}],
    [name, {}, {}],
    [name, ...names.map(() => 1), {}],
    [name, ...names.map(() => 1), 1],
    ...placed,
    ...named,
  ]
}

describe('what the schemas of pictures refuse', () => {
  it('addresses refuse', () => {
    const document = settled({ presets })
    const checker = new Checker(document)
    for (const name of Object.keys(parameterKinds)) {
      if (name === 'transforms') continue
      const place = ['components', 'parameters', `_image.${name}`, 'schema']
      const read = values.filter((value) => {
        if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false
        const isGood = isRead(() => readParameters({ [name]: String(value) }))
        // A parameter is text, that a client writes by the type of its schema.
        const typed = at(document, place).type === 'string' ? value : jsonOf(String(value))
        const refused = checker.problem(place, typed)
        if (refused !== undefined && name !== 'key')
          expect([name, value, isGood]).toEqual([name, value, false])
        return isGood
      })
      expect(read.length, name).toBeGreaterThan(0)
    }
  })

  let checker: Checker
  beforeAll(() => {
    checker = new Checker(settled({}))
  })

  it.each(operationNames)('%s refuses in "transforms"', (name) => {
    const counts = { read: 0, refused: 0 }
    for (const entry of entriesOf(name)) {
      const problem = checker.problemBy('_transforms', [entry])
      if (problem !== undefined) counts.refused += 1
      if (!isRead(() => readStep(entry, ['transforms', 0]))) continue
      counts.read += 1
      expect([entry, problem]).toEqual([entry, undefined])
    }
    expect(counts.read).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(0)
  })

  it('is nothing that other spellings of names are good for', () => {
    for (const [other, name] of Object.entries(sameOperations))
      for (const word of [other, name]) {
        const argument = name === 'toColourspace' ? ['srgb'] : []
        expect(checker.problemBy('_transforms', [[word, ...argument]])).toBeUndefined()
      }
    expect(checker.problemBy('_transforms', [['toFile', '/tmp/x']])).toBeDefined()
    expect(checker.problemBy('_transforms', [[]])).toBeDefined()
    expect(checker.problemBy('_transforms', Array(6).fill(['flip']))).toBeDefined()
  })
})

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

describe('the forms of files', () => {
  const formOf = (document: OpenApiDocument, path: string, method: 'post' | 'patch') =>
    document.paths[path]?.[method]?.requestBody?.content['multipart/form-data']?.schema

  it('tell the fields that may come before the bytes', () => {
    const document = describeApi(world.engine)
    expect(Object.keys(document.paths['/files']?.post?.requestBody?.content ?? {})).toEqual([
      'application/json',
      'multipart/form-data',
    ])
    const { properties } = Object(formOf(document, '/files', 'post'))
    expect(properties).toMatchObject({
      title: { type: 'string' },
      metadata: { type: 'string', contentMediaType: 'application/json' },
      file: { contentMediaType: 'application/octet-stream' },
    })
    for (const name of ['filename_disk', 'type', 'filesize', 'width', 'checksum', 'created_on'])
      expect(properties).not.toHaveProperty(name)
    expect(Object(formOf(document, '/files/{id}', 'patch')).properties).toHaveProperty('title')
  })

  it('tell a caller only what they may do', () => {
    const files = {
      read: true,
      create: { fields: ['title'] },
      update: { fields: ['title', 'description'] },
    } as const
    const document = describeApi(world.engine.as({ rules: { files } }))
    expect(Object.keys(Object(formOf(document, '/files', 'post')).properties)).toEqual(['title', 'file'])
    // The bytes are not theirs to replace.
    expect(formOf(document, '/files/{id}', 'patch')).toBeUndefined()
    const replacing = { read: true, update: { fields: ['title', 'filename_disk'] } } as const
    const other = describeApi(world.engine.as({ rules: { files: replacing } }))
    expect(Object.keys(Object(formOf(other, '/files/{id}', 'patch')).properties)).toEqual(['title', 'file'])
    expect(formOf(other, '/files', 'post')).toBeUndefined()
  })
})
