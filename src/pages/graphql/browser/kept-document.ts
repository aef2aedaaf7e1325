// Place of the document: in the entry of this tab's history, so that a new load shows it again; and in the address of a link, when the user
// makes one. Nothing is written to a storage, and a token to none of them.

export interface KeptDocument {
  readonly document: string
  readonly variables: string
}

/** Returns what the link holds, or else what this tab has shown before. */
export function keptDocument(): KeptDocument | undefined {
  const linked = new URLSearchParams(location.hash.slice(1))
  const document = linked.get('document')
  if (document !== null) return { document, variables: linked.get('variables') ?? '' }
  const kept: unknown = history.state
  const text = (name: string): string => String(Reflect.get(Object(kept), name) ?? '')
  return kept === null ? undefined : { document: text('document'), variables: text('variables') }
}

let waiting: number | undefined

/** Keeps a document a moment later: browsers count how often it is done. The address loses what it held of another one. */
export function keepDocument(kept: KeptDocument): void {
  clearTimeout(waiting)
  // Browsers refuse what is larger.
  if (kept.document.length + kept.variables.length > 200_000) return
  waiting = window.setTimeout(
    () => history.replaceState(kept, '', location.origin + location.pathname + location.search),
    300,
  )
}

/** Puts a document into the address, and returns it. */
export function linkTo(kept: KeptDocument): string {
  clearTimeout(waiting)
  const { document, variables } = kept
  history.replaceState(
    kept,
    '',
    `#${new URLSearchParams({ document, ...(variables.trim() && { variables }) })}`,
  )
  return location.href
}
