// How the search weighs what it finds, as functions: in the configuration they would reach the page by eval, which its policy refuses.
const little = new Set('a an and by do for how i in is it my of on the to with'.split(' '))

export const searchOptions = {
  // The titles of guides say what they are about, those of the API name an entry.
  boost: { title: 4, text: 2, titles: 3 },
  processTerm: (term: string) => (little.has(term.toLowerCase()) ? null : term.toLowerCase()),
  /** Long lists of changes have every word. */
  boostDocument: (address: string) => {
    if (/^\/CHANGELOG\.html#(?!upgrade)/.test(address)) return 0.2
    return /^\/(?:docs\/api\/|CONTRIBUTING)/.test(address) ? 0.7 : 1
  },
}
