import { readCall } from '../../query/call.ts'

/** The name of a field or a function of one in the result: `year(born)` is `born_year`, `sum(articles.views)` is `articles_views_sum`. */
export function resultName(text: string): string {
  const call = readCall(text)
  if (typeof call !== 'object') return text
  if (call.path === undefined) return `${call.field.replace('.', '_')}_${call.name}`
  const path = call.path.replace(/[.[\]",\s]+/g, '_').replace(/^_|_$/g, '')
  return `${call.field}_${path}_json`
}
