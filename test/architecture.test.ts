// The walls of the house: what may import what, and what may stand where.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { type Layer, layers, roomsOfWrites } from './walls.ts'

const root = join(import.meta.dirname, '../src')

/** Those that wait for something, and know what time it is. All others are pure. */
const impure: readonly (Layer | undefined)[] = [
  'storage',
  'images',
  'variants',
  'execution',
  'prepared',
  'engine',
  'writes',
  'versions',
  'items',
  'files',
  'export',
  'http',
  'pages',
  'graphql',
  'realtime',
  'client',
  'mcp',
  'flows',
  'introspect',
  'cms',
  'testing',
  'drivers',
  'entries',
  'cli',
]

/** What any layer may import, and what one alone may. */
const declared = ['kysely', 'node:util', 'node:async_hooks', 'node:crypto']
const declaredIn: { readonly [Name in Layer]?: readonly string[] } = {
  // In the one file that meets Node for the core.
  values: ['node:os'],
  storage: ['node:fs', 'node:fs/promises', 'node:path'],
  // For its types: it is loaded when the first picture is made.
  images: ['sharp'],
  zod: ['zod'],
  // Of what reaches the world outside only types: it is loaded by whoever reaches it.
  flows: [
    'node:http',
    'node:module',
    'node:net',
    'node:stream',
    'node:timers/promises',
    'node:worker_threads',
    'zod',
  ],
  // The program of a thread, and a thread for its type alone: it is loaded with the first one.
  drivers: ['node:module', 'node:worker_threads'],
  testing: ['node:assert/strict', 'node:timers/promises', 'node:v8', 'node:vm'],
  // The protocols for their types alone: the host opens the server.
  graphql: ['graphql'],
  http: ['node:http', 'node:http2', 'node:stream', 'node:stream/promises'],
  // `ws` for its types: it is loaded by whoever has sockets of it.
  realtime: ['node:events', 'node:http', 'node:stream', 'ws'],
  // The package of the protocol for its type: it is loaded by the first server.
  mcp: ['@modelcontextprotocol/sdk/server/index.js'],
  cms: ['node:net'],
  cli: ['node:fs', 'node:http', 'node:module', 'node:net', 'node:path', 'node:url'],
}

interface Source {
  readonly path: string
  readonly layer: Layer | undefined
  readonly text: string
  /** Without comments, strings left as they are. */
  readonly code: string
  /** Of code and of types alike. */
  readonly imports: readonly string[]
  /** Of code alone: what is loaded with it, of this package and of others. */
  readonly loads: readonly string[]
}

const sources: readonly Source[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  // What a page for browsers is built into is declared, and has no source.
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .map(readSource)

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
  const statements = [
    ...code.matchAll(/^(?:(?:import|export)\s([\w\s{},*]*?)\bfrom|import)\s+'([^']+)'/gm),
  ].map(([, names = '', target = '']) => ({
    names,
    target: resolved(path, target),
    isOwn: target.startsWith('.'),
  }))
  const imports = statements.filter(({ isOwn }) => isOwn).map(({ target }) => target)
  const loads = statements.filter(({ names }) => !isOfTypes(names)).map(({ target }) => target)
  return { path, layer: layerOf(path), text, code, imports, loads }
}

function resolved(path: string, target: string): string {
  return target.startsWith('.') ? relative(root, join(root, dirname(path), target)) : target
}

/** True for `type { … }`, and for `{ type …, type … }`. */
function isOfTypes(names: string): boolean {
  return /^type\s/.test(names) || /^\{\s*type\s[^,}]+(,\s*type\s[^,}]+)*,?\s*\}\s*$/.test(names)
}

/** The folder that a file stands in. Files in no folder are entries of the package, and the command is one of its own. */
function layerOf(path: string): Layer | undefined {
  if (path === 'cli.ts') return 'cli'
  const [folder, ...rest] = path.split('/')
  return rest.length === 0 ? 'entries' : layers.find((layer) => layer === folder)
}

const height = (layer: Layer | undefined) => (layer === undefined ? -1 : layers.indexOf(layer))

describe('the house', () => {
  it('has a layer for every file', () => {
    expect(sources.filter(({ layer }) => layer === undefined).map(({ path }) => path)).toEqual([])
    expect(sources.length).toBeGreaterThan(50)
  })

  it('imports downwards only', () => {
    const upward = sources.flatMap(({ path, layer, imports }) =>
      imports
        .filter((target) => height(layerOf(target)) > height(layer))
        .map((target) => `${path} → ${target}`),
    )
    expect(upward).toEqual([])
  })

  it('imports downwards only among the rooms of writes', () => {
    const roomOf = (path: string) => {
      const [, room, file] = path.split('/')
      return file === undefined ? 'spine' : (room ?? '')
    }
    const level = (path: string) => (path.startsWith('writes/') ? roomsOfWrites.indexOf(roomOf(path)) : -1)
    const ofWrites = sources.filter(({ layer }) => layer === 'writes')
    expect(ofWrites.filter(({ path }) => level(path) < 0)).toEqual([])
    const upward = ofWrites.flatMap(({ path, imports }) =>
      imports.filter((target) => level(target) > level(path)).map((target) => `${path} → ${target}`),
    )
    expect(upward).toEqual([])
  })

  it('knows images in files and above them only', () => {
    const ofImages = /^(images|variants)\//
    const blind = sources.filter(
      ({ layer }) => height(layer) > height('variants') && height(layer) < height('files'),
    )
    const knowing = blind.flatMap(({ path, imports }) =>
      imports.filter((target) => ofImages.test(target)).map((target) => `${path} → ${target}`),
    )
    expect(blind.length).toBeGreaterThan(50)
    expect(knowing).toEqual([])
  })

  it('speaks GraphQL in its own folder, which only entries and the command import', () => {
    const isApart = ({ layer }: Source) => !['graphql', 'entries', 'cli'].includes(layer ?? '')
    const speaking = sources
      .filter(isApart)
      .flatMap(({ path, imports }) =>
        imports.filter((target) => target.startsWith('graphql/')).map((target) => `${path} → ${target}`),
      )
    expect(speaking).toEqual([])
  })

  it('lets no page for browsers know another one, and their kit none', () => {
    const pageOf = (path: string) => /^pages\/([^/]+)\//.exec(path)?.[1]
    const pages = sources.filter(({ layer }) => layer === 'pages')
    const strange = pages.flatMap(({ path, imports }) =>
      imports
        .filter((target) => ![undefined, 'kit', pageOf(path)].includes(pageOf(target)))
        .map((target) => `${path} → ${target}`),
    )
    expect(pages.length).toBeGreaterThan(20)
    expect(strange).toEqual([])
  })

  it('imports no file that is not there', () => {
    const paths = new Set(sources.map(({ path }) => path))
    const missing = sources.flatMap(({ path, imports }) =>
      imports.filter((target) => !paths.has(target)).map((target) => `${path} → ${target}`),
    )
    expect(missing).toEqual([])
  })

  it('runs filters without Node, Kysely or anything else of others', () => {
    const reached = loadedBy('filter.ts')
    expect(reached.length).toBeGreaterThan(100)
    const foreign = reached.flatMap(({ path, code, loads }) => [
      ...loads.filter((target) => !target.endsWith('.ts')).map((target) => `${path} → ${target}`),
      ...[...code.matchAll(ofNode)].map(([name]) => `${path} uses ${name}`),
    ])
    expect(foreign).toEqual([])
  })

  it('meets Node in one file where the core and HTTP take from it what a page can bring', () => {
    const meeting = ['index.ts', 'http.ts']
      .flatMap(loadedBy)
      .flatMap(({ path, loads }) => loads.filter((target) => target.startsWith('node:')).map(() => path))
    expect([...new Set(meeting)]).toEqual(['values/from-node.ts'])
  })

  it('takes nothing into the client but its own files and errors, and types of the others', () => {
    const client = sources.filter(({ layer }) => layer === 'client')
    const foreign = client.flatMap(({ path, code, loads }) => [
      ...loads.filter((target) => !/^(client|errors)\//.test(target)).map((target) => `${path} → ${target}`),
      // A file of its own folder may be loaded when it is used.
      ...[...code.replaceAll(/\bimport\('\.\/[\w-]+\.ts'\)/g, '').matchAll(ofNode)].map(
        ([name]) => `${path} uses ${name}`,
      ),
    ])
    expect(client.length).toBeGreaterThan(8)
    expect(foreign).toEqual([])
  })

  it('has no circle of files, types included', () => {
    expect(circles()).toEqual([])
  })

  it('names no database outside its dialects and their entries', () => {
    const isAtHome = (path: string) => /^(dialects|drivers|sqlite|postgres)\b/.test(path)
    const naming = sources.filter(
      ({ path, code }) => !isAtHome(path) && /['"`](sqlite|postgres|postgresql|mysql)['"`]/i.test(code),
    )
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  it('holds nothing asynchronous where it is pure', () => {
    const waiting = sources.filter(
      ({ layer, code }) => !impure.includes(layer) && /\basync\b|\bawait\b|\bPromise\b/.test(code),
    )
    expect(waiting.map(({ path }) => path)).toEqual([])
  })

  it('reads no clock, no chance and no environment where it is pure', () => {
    const pure = sources.filter(({ layer }) => height(layer) < height('execution') && !impure.includes(layer))
    const reading = pure.filter(({ code }) =>
      /\bnew Date\(\)|\bDate\.now\b|\bMath\.random\b|\bprocess\./.test(code),
    )
    expect(reading.map(({ path }) => path)).toEqual([])
  })

  it('writes raw SQL in dialects only', () => {
    const raw = sources.filter(
      ({ path, code }) =>
        !/^(dialects|drivers|sqlite|postgres)\b/.test(path) && /\bsql\.(raw|lit|table|ref)\b/.test(code),
    )
    expect(raw.map(({ path }) => path)).toEqual([])
  })

  it('imports no driver, no HTTP and nothing that is not declared', () => {
    const foreign = sources.flatMap(({ path, layer, code }) =>
      [...code.matchAll(/from\s+'([^'.][^']*)'/g)]
        .map(([, name = '']) => name)
        .filter((name) => !declared.includes(name) && !(layer && declaredIn[layer]?.includes(name)))
        .map((name) => `${path} → ${name}`),
    )
    expect(foreign).toEqual([])
  })

  it('throws nothing but its own errors', () => {
    const bare = sources.filter(
      ({ path, code }) => path !== 'errors/errors.ts' && /\bnew (Type|Range|Syntax)?Error\(/.test(code),
    )
    expect(bare.map(({ path }) => path)).toEqual([])
  })

  it('says in each folder what it is for', () => {
    const missing = layers.filter(
      (layer) => layer !== 'entries' && !existsSync(join(root, layer, 'README.md')),
    )
    expect(missing).toEqual([])
  })

  it('gives each type that is exported a name of its own', () => {
    const homes = new Map<string, string[]>()
    for (const { path, code } of sources)
      for (const [, name = ''] of code.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm))
        homes.set(name, [...(homes.get(name) ?? []), path])
    expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([])
  })

  it('takes an object where a function would take a fifth parameter', () => {
    const long = sources.flatMap((source) =>
      longFunctionsIn(source).map((name) => ({ path: source.path, name })),
    )
    const others = long.filter(({ name }) => !ofManyParameters.has(name))
    expect(others.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
    expect([...ofManyParameters].filter((name) => !long.some((one) => one.name === name))).toEqual([])
  })

  it('has no drawer for odds and ends', () => {
    expect(
      sources.filter(({ path }) => /\b(utils?|helpers?|common|misc)\b/.test(path)).map(({ path }) => path),
    ).toEqual([])
  })

  it('calls things by the words of the trade', () => {
    const strange = sources
      .filter(({ path }) => !path.startsWith('pages/'))
      .flatMap((source) => strangeNamesIn(source).map((name) => `${source.path}: ${name}`))
    expect(strange).toEqual([])
  })

  it('gives a reason for every door in the type wall', () => {
    const lines = sources.flatMap(({ path, text }) =>
      text.split('\n').map((line, index, all) => ({ path, line, before: all[index - 1] ?? '' })),
    )
    const doors = lines.filter(
      ({ line }) =>
        !/^\s*(\/?\*|\/\/)/.test(line) &&
        /\bas (unknown as|never|any)\b|@ts-/.test(line.replace(/\/\/.*$/, '')),
    )
    const unexplained = doors.filter(({ line, before }) => !/\/\/|\*/.test(before) && !/\/\//.test(line))
    expect(unexplained.map(({ path, line }) => `${path}: ${line.trim()}`)).toEqual([])
  })
})

/** Words that have a plainer one, as a part of a name. */
const strangeParts =
  /^(sights?|ground|asked|meant|questions?|answers|hung|hang|judges?|lend|lend(er|ing)|careful(ly)?|shelf|shelves)$/i
/** Those that are strange as the whole of it. */
const strangeNames = /^#?([gG]iven|[tT]old|[lL]eaving|isGoing|takeOut|face|beneath|itemGiven)$|^Late$/

/** Most files hold none of them, and need no parser. */
const mayBeStrange =
  /sight|ground|asked|meant|question|answers|hung|hang|judge|lend|careful|shel[fv]|given|told|leaving|isGoing|takeOut|\bface|beneath|Late\b/i

/** The names of a file for which there is a plainer word: `visible`, `context`, `requested`, `matching`, `openValue`, `boundValues`,
 *  `attached`, `validate`, `lossless`, `cache`, `payload`, `input`, `reported`, `returned`. */
function strangeNamesIn(source: Source): readonly string[] {
  const names = new Set<string>()
  if (!mayBeStrange.test(source.code)) return []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(treeOf(source))
  return [...names].filter(
    (name) => strangeNames.test(name) || name.split(/(?=[A-Z])|[_#]/).some((part) => strangeParts.test(part)),
  )
}

/** Functions that take five parameters and more: published ones, whose callers would have to write them anew. */
const ofManyParameters: ReadonlySet<string> = new Set([
  // The verbs: an engine, a collection, what is read or written there, a query and options.
  ...['getItem', 'createItem', 'createItems', 'updateItem', 'updateItems', 'updateEach', 'updateByQuery'],
  ...[
    'upsertItem',
    'upsertItems',
    'deleteItems',
    'updateSingleton',
    'exportItems',
    'uploadFile',
    'updateFile',
    'replaceFile',
  ],
  ...['listVersions', 'createVersion', 'saveVersion', 'updateVersion', 'deleteVersion', 'compareVersion'],
  ...['promoteVersion', 'matchesFilter'],
  // A phrase of a dialect, which hosts may write.
  'writeTelling',
])

/** The names of a file's functions, methods and types of functions with more than four parameters. */
function longFunctionsIn(source: Source): readonly string[] {
  const names: string[] = []
  const visit = (node: ts.Node, outer: ts.Node | undefined): void => {
    if (ts.isFunctionLike(node) && node.parameters.length > 4)
      names.push(nameOf(node) ?? (outer && nameOf(outer)) ?? 'a function without a name')
    ts.forEachChild(node, (inner) => visit(inner, node))
  }
  visit(treeOf(source), undefined)
  return names
}

const trees = new Map<Source, ts.SourceFile>()

function treeOf(source: Source): ts.SourceFile {
  const tree = trees.get(source) ?? ts.createSourceFile('source.ts', source.code, ts.ScriptTarget.Latest)
  trees.set(source, tree)
  return tree
}

function nameOf(node: ts.Node): string | undefined {
  const { name } = node as { readonly name?: ts.Node }
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : undefined
}

/** What Node has and browsers lack, and what loads a module by the way. */
const ofNode =
  /\b(Buffer|setImmediate|__dirname|__filename)\b|\b(process|global)\b[.?[]|\brequire\(|\bimport(\(|\.meta)/g

/** A file with all that is loaded before its first line runs. */
function loadedBy(path: string): readonly Source[] {
  const found = new Map<string, Source>()
  const walk = (one: string): void => {
    const source = sources.find((source) => source.path === one)
    if (!source || found.has(one)) return
    found.set(one, source)
    for (const target of source.loads) walk(target)
  }
  walk(path)
  return [...found.values()]
}

/** Every circle once, by its smallest path. */
function circles(): string[] {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports]))
  const found = new Set<string>()
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      found.add([...trail.slice(start)].sort().join(' ↔ '))
      return
    }
    for (const target of targets.get(path) ?? []) if (!done.has(target)) walk(target, [...trail, path])
    done.add(path)
  }
  const done = new Set<string>()
  for (const { path } of sources) if (!done.has(path)) walk(path, [])
  return [...found]
}
