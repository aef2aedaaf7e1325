/** Returns documents of which no two are equal: each calls the title by another name. */
export function coldDocuments(document: string): () => string {
  let count = 0
  return () => document.replace(' title', ` title title_${count++}: title`)
}
