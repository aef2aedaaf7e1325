// The TypeScript compiler, as the tests ask it.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What makes programs of files, and reads the library and the packages once for all of them. */
export interface Compiler {
  /** A program of files, of which some exist in memory only, and of the library they import. */
  programOf(files: readonly string[], inMemory?: ReadonlyMap<string, string>): ts.Program
}

/** @example const program = openCompiler().programOf(files) */
export function openCompiler(more: ts.CompilerOptions = {}): Compiler {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const options = { ...ts.parseJsonConfigFileContent(config, ts.sys, root).options, ...more }
  const read = new Map<string, ts.SourceFile | undefined>()
  return {
    programOf(files, inMemory = new Map()) {
      const host = ts.createCompilerHost(options)
      const { fileExists, readFile, getSourceFile } = host
      host.fileExists = (file) => inMemory.has(file) || fileExists(file)
      host.readFile = (file) => inMemory.get(file) ?? readFile(file)
      host.getSourceFile = (file, ...how) => {
        // Only these stay as they are from one program to the next.
        if (!file.startsWith(`${root}src/`) && !file.includes('/node_modules/'))
          return getSourceFile(file, ...how)
        if (!read.has(file)) read.set(file, getSourceFile(file, ...how))
        return read.get(file)
      }
      return ts.createProgram(files, options, host)
    },
  }
}

/** What the compiler has to say about a file of a program. */
export function diagnosticsOf(program: ts.Program, file: string): readonly ts.Diagnostic[] {
  const source = program.getSourceFile(file)
  if (!source) throw new Error(`There is no file ${file}.`)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
}

export const wordsOf = ({ messageText }: ts.Diagnostic): string =>
  ts.flattenDiagnosticMessageText(messageText, '\n')
