// The language service of TypeScript, as editors ask it.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What an editor shows in a file of TypeScript. */
export interface Editor {
  offered(text: string): readonly string[]
  /** What is shown over the name behind the mark `|` in a text: its type, and the sentence that documents it. */
  shown(text: string): Shown
}

export interface Shown {
  readonly type: string
  readonly sentence: string
}

/** Opens an editor with a file of this name. What it reads it keeps, so that a second question takes a moment only. */
export function openEditor(file: string): Editor {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  let [text, version] = ['', 0]
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : ''),
    getScriptSnapshot: (name) => {
      const read = name === file ? text : ts.sys.readFile(name)
      return read === undefined ? undefined : ts.ScriptSnapshot.fromString(read)
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })
  const open = (marked: string) => {
    const place = marked.indexOf('|')
    text = marked.slice(0, place) + marked.slice(place + 1)
    version++
    return place
  }
  return {
    offered: (marked) =>
      service.getCompletionsAtPosition(file, open(marked), {})?.entries.map(({ name }) => name) ?? [],
    shown: (marked) => {
      const found = service.getQuickInfoAtPosition(file, open(marked))
      return {
        type: ts.displayPartsToString(found?.displayParts),
        sentence: ts.displayPartsToString(found?.documentation),
      }
    },
  }
}
