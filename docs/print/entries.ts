// What the package exports, read from the entries by the compiler: names, declarations and comments.

import { join } from 'node:path'
import ts from 'typescript'
import manifest from '../../package.json' with { type: 'json' }
import { type Declaration, declarationOf } from './declaration.ts'
import { root } from './texts.ts'

/** One entry of the package: `quernel`, `quernel/http`. */
export interface Entry {
  readonly name: string
  readonly exports: readonly Exported[]
}

export interface Exported extends Declaration {
  readonly name: string
  /** Functions, classes and values are called or used; types are only named. */
  readonly isType: boolean
  /** Where it is declared, from the root: `src/items/get.ts`. */
  readonly file: string
}

/** The entries in the order of the manifest, with their exports by name. */
export function readEntries(): readonly Entry[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const files = Object.keys(manifest.exports).map((path) => [
    path.replace('.', manifest.name),
    join(root, 'src', `${path === '.' ? 'index' : path.slice('./'.length)}.ts`),
  ])
  const program = ts.createProgram(
    files.map(([, file = '']) => file),
    options,
  )
  return files.map(([name = '', file = '']) => ({ name, exports: exportsOf(program, file) }))
}

function exportsOf(program: ts.Program, file: string): readonly Exported[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`${file} exports nothing.`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => exportedOf(checker, symbol))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function exportedOf(checker: ts.TypeChecker, exported: ts.Symbol): Exported {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
  const [first] = symbol.declarations ?? []
  if (!first) throw new Error(`${exported.name} is declared nowhere.`)
  return {
    name: exported.name,
    isType: (symbol.flags & ts.SymbolFlags.Value) === 0,
    file: first.getSourceFile().fileName.slice(root.length + 1),
    ...declarationOf(checker, symbol),
  }
}
