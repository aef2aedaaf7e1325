// A page of the documentation as a module: its TypeScript blocks in order, each line where it stands in the page.
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

export interface Example {
  readonly line: number
  readonly code: string
}

export interface Page {
  /** The path from the root: `docs/filters.md`. */
  readonly name: string
  readonly module: string
  /** The statements whose outcome a comment behind them says. */
  readonly examples: readonly Example[]
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

const insertion = (at: number, text: string): Edit => ({ from: at, to: at, text })

/** Reads a page. `folder` is where its module will stand, seen from the root. */
export function readPage(name: string, markdown: string, folder: string): Page {
  const code = codeOf(markdown, name)
  const source = ts.createSourceFile(name, code, ts.ScriptTarget.ES2022, true)
  const examples: Example[] = []
  const edits: Edit[] = []
  for (const statement of source.statements) {
    const line = lineOf(source, statement.getStart(source))
    const outcome = outcomeBehind(statement, source)
    if (outcome) examples.push({ line, code: statement.getText(source).replace(/\s+/g, ' ') })
    edits.push(...editsOf(statement, outcome, line, source))
  }
  refuseStrayOutcomes(code, examples.length, name)
  const imports = source.statements.filter(ts.isImportDeclaration)
  return { name, module: `${edited(code, edits)}\n${importLines(imports, name, folder)}`, examples }
}

/** The page with everything but the insides of its TypeScript blocks left blank. */
function codeOf(markdown: string, name: string): string {
  let fence: string | undefined
  const lines = markdown.split('\n').map((line) => {
    if (fence === undefined) {
      fence = /^```(\w*)/.exec(line)?.[1]
      return ''
    }
    if (line !== '```') return fence === 'ts' ? line : ''
    fence = undefined
    return ''
  })
  if (fence !== undefined) throw new Error(`${name}: a block of code has no end.`)
  return lines.join('\n')
}

const lineOf = (source: ts.SourceFile, position: number): number =>
  source.getLineAndCharacterOfPosition(position).line + 1

interface Outcome {
  readonly kind: 'value' | 'error'
  readonly text: string
}

/** What `// → value` or `// throws text` says behind a statement or on the line below. Indented lines of comment go on with it. */
function outcomeBehind(statement: ts.Statement, source: ts.SourceFile): Outcome | undefined {
  const match = outcomeShape.exec(source.text.slice(statement.end))
  if (!match || !ts.isExpressionStatement(statement)) return undefined
  const [, sign, start = '', more = ''] = match
  return { kind: sign === '→' ? 'value' : 'error', text: start + more.replace(/\n\/\/ */g, ' ') }
}

const outcomeShape = /^(?: |\n)\/\/ (→|throws) (.*)((?:\n\/\/ {2,}.*)*)/

function refuseStrayOutcomes(code: string, found: number, name: string): void {
  const written = code.match(/\/\/ (?:→|throws) /g)?.length ?? 0
  if (written === found) return
  throw new Error(
    `${name}: ${written} outcomes are written, but only ${found} of them stand behind an expression.`,
  )
}

function editsOf(
  statement: ts.Statement,
  outcome: Outcome | undefined,
  line: number,
  source: ts.SourceFile,
): Edit[] {
  const start = statement.getStart(source)
  if (ts.isImportDeclaration(statement)) {
    return [{ from: start, to: statement.end, text: statement.getText(source).replace(/[^\n]/g, '') }]
  }
  if (!outcome || !ts.isExpressionStatement(statement)) return [insertion(start, `at(${line}); `)]
  const expected = outcome.kind === 'value' ? `() => (${outcome.text})` : JSON.stringify(outcome.text)
  const check = outcome.kind === 'value' ? 'expectValue' : 'expectError'
  return [
    insertion(start, `await ${check}(${line}, async () => (`),
    insertion(statement.expression.end, `), ${expected});`),
  ]
}

function edited(code: string, edits: readonly Edit[]): string {
  let text = ''
  let done = 0
  for (const { from, to, text: inserted } of edits) {
    text += code.slice(done, from) + inserted
    done = to
  }
  return text + code.slice(done)
}

/** All imports of the page, each name once: a page may import a name again where it is needed again.
 *  They stand at the end, where they move no line. */
function importLines(imports: readonly ts.ImportDeclaration[], name: string, folder: string): string {
  const clauses = new Set(imports.flatMap((declaration) => clausesOf(declaration, name, folder)))
  const asserting = join(relative(folder, 'test/docs'), 'asserting.ts')
  return [`import { at, expectError, expectValue } from '${asserting}'`, ...clauses, ''].join('\n')
}

function clausesOf(
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
  page: string,
  folder: string,
): string[] {
  const given = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
  const from = `from '${given.startsWith('.') ? relative(folder, join(dirname(page), given)) : given}'`
  const bindings = importClause?.namedBindings
  const type = importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'type ' : ''
  const main = importClause?.name ? [`import ${type}${importClause.name.text} ${from}`] : []
  if (!bindings) return main
  if (ts.isNamespaceImport(bindings)) return [...main, `import ${type}${bindings.getText()} ${from}`]
  return [...main, ...bindings.elements.map((element) => `import ${type}{ ${element.getText()} } ${from}`)]
}
