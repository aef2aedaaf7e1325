// The schema at the side: its types one by one, on the way that the user has gone, and a search.

import { button, element, fill } from '../../kit/elements.ts'
import type { KnownSchema, KnownType } from '../language/known-schema.ts'
import { foundView, type TypeViewer, typeView } from './type-view.ts'

export interface SchemaPanel {
  readonly element: HTMLElement
  readonly show: (schema: KnownSchema) => void
  /** Shows a sentence in the place of a schema. */
  readonly say: (sentence: string) => void
}

/** Builds the panel. */
export function createSchemaPanel(insert: TypeViewer['insert']): SchemaPanel {
  const search = element('input', {
    ...{ type: 'search', placeholder: 'Search types and fields', 'aria-label': 'Search the schema' },
  })
  const trail = element('nav', { 'aria-label': 'Way through the schema' })
  const content = element('div', { class: 'types' })
  let schema: KnownSchema | undefined
  let opened: readonly string[] = []

  const open = (names: readonly string[]): void => {
    opened = names
    search.value = ''
    paint()
    content.scrollTop = 0
  }
  const paint = (): void => {
    if (!schema) return
    const viewer = { schema, insert, open: (name: string) => open([...until(opened, name), name]) }
    const steps = ['Schema', ...opened].map((name, index) =>
      button(name, { class: 'link' }, () => open(opened.slice(0, index))),
    )
    fill(trail, ...steps)
    const words = search.value.trim()
    fill(
      content,
      ...(words === ''
        ? shownTypes(schema, opened).map((type) => typeView(viewer, type))
        : foundView(viewer, words)),
    )
  }
  search.addEventListener('input', paint)
  return {
    element: element('aside', { id: 'schema', 'aria-label': 'Schema' }, search, trail, content),
    show: (given) => {
      schema = given
      opened = opened.filter((name) => given.types.has(name))
      search.disabled = false
      paint()
    },
    say: (sentence) => {
      schema = undefined
      search.disabled = true
      fill(trail)
      fill(content, element('p', { class: 'sentence', role: 'status' }, sentence))
    },
  }
}

/** The names before one, or all of them: a way does not lead through a type twice. */
function until(names: readonly string[], name: string): readonly string[] {
  const at = names.indexOf(name)
  return at < 0 ? names : names.slice(0, at)
}

/** The type that is open, or those of all operations. */
const shownTypes = ({ types, roots }: KnownSchema, opened: readonly string[]): readonly KnownType[] =>
  (opened.length > 0 ? opened.slice(-1) : [...roots.values()]).flatMap((name) => types.get(name) ?? [])
