// Splits a file of SQL into statements.

/** Returns the statements of a file, without commands of `psql` and the rows behind COPY. */
export function statementsIn(text: string): readonly string[] {
  const plain = text
    .replace(/^copy [^;]* from stdin[^;]*;\r?\n[\s\S]*?^\\\.\r?$/gim, '')
    .replace(/^\\.*$|(^|\s)#\s.*$/gm, '')
  const statements: string[] = []
  let from = 0
  let at = 0
  let isTrigger = false
  while (at < plain.length) {
    const rest = plain.slice(at)
    const skipped = skip.exec(rest)?.[0]
    if (skipped !== undefined) at += skipped.length
    else if (plain[at] === ';') {
      const statement = plain.slice(from, at)
      isTrigger ||= /^\s*(--[^\n]*\n\s*)*create\s+(temp\w*\s+)?trigger\b[\s\S]*\bbegin\b/i.test(statement)
      at++
      if (isTrigger && !/\bend\s*;?$/i.test(statement)) continue
      isTrigger = false
      statements.push(statement)
      from = at
    } else at += /^[\w.]+|^./s.exec(rest)?.[0].length ?? 1
  }
  return [...statements, plain.slice(from)].filter((statement) => bare(statement) !== '')
}

/** A comment, or a text in quotes. */
const skip =
  /^(?:--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|(\$\w*\$)[\s\S]*?\1)/

/** Returns a statement without its comments. */
export const bare = (statement: string) => statement.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim()
