// A page of the documentation as JavaScript: types become comments, as somebody without TypeScript writes them.
import ts from 'typescript'

/** Returns the code without types, and those of constants and imports in comments. */
export function asJavaScript(code: string): string {
  const source = ts.createSourceFile('page.ts', code, ts.ScriptTarget.ESNext, true)
  const imports: string[] = []
  const places: (readonly [at: number, type: string])[] = []
  for (const statement of source.statements) {
    imports.push(...importedType(statement))
    places.push(...annotated(statement))
  }
  // On a line of its own, or it belongs to the statement before.
  const commented = places.reduceRight(
    (text, [at, type]) => `${text.slice(0, at)}\n/** @type {${type}} */ ${text.slice(at)}`,
    code,
  )
  const { outputText } = ts.transpileModule(commented, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, verbatimModuleSyntax: true },
  })
  return `${imports.map((line) => `/** @import ${line} */\n`).join('')}${outputText}`
}

/** What an import of types alone imports. */
function importedType(statement: ts.Statement): readonly string[] {
  if (!ts.isImportDeclaration(statement)) return []
  const { importClause, moduleSpecifier } = statement
  if (importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword) return []
  return [`${importClause.namedBindings?.getText()} from ${moduleSpecifier.getText()}`]
}

/** The place before a constant that says its type, and the type. */
function annotated(statement: ts.Statement): readonly (readonly [at: number, type: string])[] {
  if (!ts.isVariableStatement(statement)) return []
  const [declaration] = statement.declarationList.declarations
  return declaration?.type ? [[statement.getStart(), declaration.type.getText()]] : []
}
