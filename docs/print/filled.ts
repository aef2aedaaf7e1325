// Pages that people write, with parts that are printed: what stands between `<!-- name -->` and `<!-- /name -->`.

/** The page with its printed parts as they are now. */
export function filled(page: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, part]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const from = text.indexOf(open)
    const to = text.indexOf(close)
    if (from < 0 || to < from) throw new Error(`There is no place for "${name}" in the page.`)
    return `${text.slice(0, from + open.length)}\n\n${part.trim()}\n\n${text.slice(to)}`
  }, page)
}
