// The compiler says of a call of the client what it says of one beside the database, side by side.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { diagnosticsOf, openCompiler, wordsOf } from '../support/compiler.ts'
import { queriesOfManyCollections } from '../types/many-collections.ts'

const here = fileURLToPath(new URL('../types/', import.meta.url))
const compiler = openCompiler()
const timeout = 120_000

/** The file of the client in which a verb stands, by the one beside the database. */
const homes: Readonly<Record<string, string>> = {
  'engine/engine': 'client/connect',
  'items/get': 'client/reads',
  'items/list': 'client/reads',
  'items/singleton': 'client/reads',
  'items/stream': 'client/stream',
}

/** The same module, in which an engine is a client. */
const ofClient = (text: string): string =>
  Object.entries(homes)
    .reduce((module, [from, to]) => module.replaceAll(`/src/${from}.ts'`, `/src/${to}.ts'`), text)
    .replaceAll('import type { Engine }', 'import type { Client as Engine }')

function programOf(files: Readonly<Record<string, string>>): ts.Program {
  const inMemory = new Map(Object.entries(files).map(([name, text]) => [`${here}${name}`, text]))
  return compiler.programOf([...inMemory.keys()], inMemory)
}

const remarksOn = (program: ts.Program, name: string) =>
  diagnosticsOf(program, `${here}${name}`).map((diagnostic) => {
    const { file, start = 0, length = 0 } = diagnostic
    // An engine has another name here, and stands nowhere else in a message. A query may be left out.
    return {
      at: file?.text.slice(start, start + length),
      says: wordsOf(diagnostic).replaceAll('Client<', 'Engine<').replaceAll(' | undefined', ''),
    }
  })

it('answers have the types of those beside the database', { timeout }, () => {
  const text = readFileSync(`${here}answers.test-d.ts`, 'utf8')
  // The last part makes engines.
  const [before = ''] = text.split(/^.*createEngine\(/m)
  const module = `${ofClient(before)}\nexport const unused = createEngine`
  expect(module).toContain("import { listItems } from '../../src/client/reads.ts'")
  const program = programOf({ 'answers-of-client.ts': module })
  expect(remarksOn(program, 'answers-of-client.ts')).toEqual([])
})

const mistakes = [
  "listItems(engine, 'articels')",
  "listItems(engine, 'articles', { fields: ['titel'] })",
  "listItems(engine, 'articles', { fields: ['author.nam'], limit: 3 })",
  "listItems(engine, 'articles', { lmit: 5 })",
  "listItems(engine, 'articles', { filter: { views: { _contains: 'x' } } })",
  "listItems(engine, 'articles', { sort: '-viewz' })",
  "listItems(engine, 'articles', { aggregate: { sum: 'title' } })",
  "listItems(engine, 'articles', {}, { signals: 1 })",
  "getItem(engine, 'countries', 7)",
  "getItem(engine, 'articles', 1, { fields: ['id', 'comments.txt'] })",
  "getSingleton(engine, 'articles', { fields: ['id', 'nam'] })",
  "streamItems(engine, 'articles', { deep: { coments: {} } })",
  "createItem(engine, 'tags', {})",
  "createItem(engine, 'tags', { nam: 'x' })",
  "createItems(engine, 'tags', [{ name: 7 }])",
  "upsertItem(engine, 'authors', { name: 'x' }, { fields: ['nam'] })",
  "updateItem(engine, 'articles', 1, { title: { _inc: 1 } })",
  "updateItem(engine, 'countries', 1, { name: 'x' })",
  "updateItems(engine, 'tags', ['a'], { name: 'x' })",
  "updateEach(engine, 'tags', [{ id: 1, nam: 'x' }])",
  "updateByQuery(engine, 'tags', { filtr: {} }, { name: 'x' })",
  "deleteItem(engine, 'articles', 'x')",
  "deleteItems(engine, 'articles', ['x'])",
  "deleteByQuery(engine, 'articles', { filter: { titel: 'x' } })",
  "createVersion(engine, 'articles', 1, { name: 'x' })",
  "promoteVersion(engine, 'articles', 1, 'draft', { mainHash: 'x', fields: ['titel'] })",
  'getFile(engine, 7)',
  "explainItems(engine, 'articels', { fields: ['title'] })",
  "explainAccess(engine, 'articles', 'raed')",
]

describe('the compiler refuses', () => {
  const module = (call: string, isLocal: boolean) =>
    [
      `import { ${call.split('(')[0]}, type ${isLocal ? 'Engine' : 'Client'} } from '../../src/${isLocal ? 'index' : 'client'}.ts'`,
      "import type { Shop } from './schema.ts'",
      `declare const engine: ${isLocal ? 'Engine' : 'Client'}<Shop>`,
      `export const answer = ${call}`,
    ].join('\n')
  const files = mistakes.flatMap((call, index) => [
    [`local-${index}.ts`, module(call, true)],
    [`client-${index}.ts`, module(call, false)],
  ])
  const program = programOf(Object.fromEntries(files))
  it.each(mistakes)('%s', { timeout }, (call) => {
    const index = mistakes.indexOf(call)
    const local = remarksOn(program, `local-${index}.ts`)
    const remote = remarksOn(program, `client-${index}.ts`)
    expect(local).not.toEqual([])
    expect(remote.map(({ at }) => at)).toEqual(local.map(({ at }) => at))
    // Options have another type here, and one verb has a form that is deprecated beside the database.
    if (!/signals|^updateItems/.test(call)) expect(remote).toEqual(local)
  })
})

it('what rules may hide is null where a client says so', { timeout }, () => {
  const module = [
    "import { expectTypeOf } from 'vitest'",
    "import { connect, createItem } from '../../src/client.ts'",
    "import type { Shop } from './schema.ts'",
    "const whole = await createItem(connect<Shop>('https://a.test'), 'tags', { name: 'x' }, { fields: ['name'] })",
    'expectTypeOf(whole).toEqualTypeOf<{ name: string }>()',
    "const mine = await createItem(connect<Shop, 'narrowed'>('https://a.test'), 'tags', {}, { fields: ['name'] })",
    'expectTypeOf(mine).toEqualTypeOf<{ name: string } | null>()',
  ].join('\n')
  expect(remarksOn(programOf({ 'hidden-from-client.ts': module }), 'hidden-from-client.ts')).toEqual([])
})

it('takes no more of the compiler than 1.05 of what is needed beside the database', { timeout }, () => {
  const text = queriesOfManyCollections(50)
  const counts = [text, ofClient(text)].map((module) => {
    const program = programOf({ 'many.ts': module })
    expect(remarksOn(program, 'many.ts')).toEqual([])
    // Not in its declarations, but there since long.
    return (program as ts.Program & { getInstantiationCount(): number }).getInstantiationCount()
  })
  const [local = 0, remote = 0] = counts
  expect(remote).toBeGreaterThan(local / 2)
  expect(remote / local).toBeLessThanOrEqual(1.05)
})
