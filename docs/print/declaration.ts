// How a declaration is shown: as it stands in the source, without what is behind it.

import ts from 'typescript'

export interface Declaration {
  /** What is declared, without bodies and without values. */
  readonly text: string
  /** The sentences of its comment. */
  readonly doc: string
  /** The examples of its comment, and of the comments of its members. */
  readonly examples: readonly string[]
}

export function declarationOf(checker: ts.TypeChecker, symbol: ts.Symbol): Declaration {
  const declarations = symbol.declarations ?? []
  return {
    text: declarations.filter(isCallable).map(textOf(checker)).join('\n'),
    doc: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    examples: [symbol, ...membersOf(symbol)].flatMap(examplesOf),
  }
}

/** As they are written, since the compiler's own text of a tag has lost what is indented. */
function examplesOf(symbol: ts.Symbol): string[] {
  const tags = (symbol.declarations ?? []).flatMap((declaration) => ts.getJSDocTags(declaration))
  return tags
    .filter(({ tagName }) => tagName.text === 'example')
    .map((tag) =>
      tag
        .getText()
        .replace(/^@example /, '')
        .replace(/\n\s*\* {0,2}/g, '\n')
        .trimEnd(),
    )
}

const membersOf = (symbol: ts.Symbol): readonly ts.Symbol[] => [...(symbol.members?.values() ?? [])]

/** Of a function with overloads, the one with the body is for nobody, and an old form is not shown. */
function isCallable(declaration: ts.Declaration, _: number, all: readonly ts.Declaration[]): boolean {
  if (all.length > 1 && ts.getJSDocDeprecatedTag(declaration)) return false
  return all.length === 1 || !ts.isFunctionDeclaration(declaration) || declaration.body === undefined
}

const textOf =
  (checker: ts.TypeChecker) =>
  (declaration: ts.Declaration): string => {
    const text = written(declaration, checker).replace(/^export (?:async )?/, '')
    // A long interface is met by what the package itself exports; nobody reads its members here.
    if (text.split('\n').length <= mostLines || !ts.isInterfaceDeclaration(declaration)) return text
    return `${text.slice(0, text.indexOf('{'))}{ … }`
  }

const mostLines = 60

function written(declaration: ts.Declaration, checker: ts.TypeChecker): string {
  const source = declaration.getSourceFile()
  const from = declaration.getStart(source)
  const until = (end: number) => source.text.slice(from, end).trimEnd()
  if (ts.isFunctionDeclaration(declaration))
    return until(declaration.body?.getStart(source) ?? declaration.end)
  if (ts.isVariableDeclaration(declaration)) return valueText(declaration, source)
  if (ts.isClassDeclaration(declaration)) return classText(declaration, source)
  if (ts.isTypeAliasDeclaration(declaration)) return aliasText(declaration, checker)
  return until(declaration.end)
}

/** A value with a type is told by the type, any other by what it is. */
function valueText({ name, type, initializer }: ts.VariableDeclaration, source: ts.SourceFile): string {
  const told = type ? `: ${type.getText(source)}` : ` = ${initializer?.getText(source)}`
  return `const ${name.getText(source)}${told}`
}

function classText(declaration: ts.ClassDeclaration, source: ts.SourceFile): string {
  const members = declaration.members.map((member) =>
    ts.isConstructorDeclaration(member) && member.body
      ? source.text.slice(member.getStart(source), member.body.getStart(source)).trimEnd()
      : member.getText(source).replace('declare ', ''),
  )
  const head = source.text.slice(declaration.getStart(source), declaration.members.pos)
  return `${head}\n${members.map((member) => `  ${member}\n`).join('')}}`
}

/** Words that are the keys of a table inside are listed. */
function aliasText(alias: ts.TypeAliasDeclaration, checker: ts.TypeChecker): string {
  const type = checker.getTypeAtLocation(alias)
  const isWords = type.isUnion() && type.types.every((one) => one.isStringLiteral())
  if (!isWords) return alias.getText()
  const words = type.types.map((one) => (one.isStringLiteral() ? `'${one.value}'` : ''))
  const line = `type ${alias.name.text} = ${words.join(' | ')}`
  return line.length <= 110
    ? line
    : `type ${alias.name.text} =\n${words.map((word) => `  | ${word}`).join('\n')}`
}
