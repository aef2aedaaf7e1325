// The schema at the side: its types one by one, on the way that the user has gone, and a search.

import { button, element, fill } from '../../kit/elements.ts'
import {
  type KnownField,
  type KnownInput,
  type KnownSchema,
  type KnownType,
  nameOfType,
} from '../language/known-schema.ts'
import { searchSchema } from '../language/search-schema.ts'

interface SchemaPanel {
  readonly element: HTMLElement
  readonly show: (schema: KnownSchema) => void
  /** Shows a sentence in the place of a schema. */
  readonly say: (sentence: string) => void
}

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

interface TypeViewer {
  readonly schema: KnownSchema
  /** Shows another type. */
  readonly open: (name: string) => void
  readonly insert: (field: KnownField, type: KnownType) => void
}

function typeView(viewer: TypeViewer, type: KnownType): HTMLElement {
  const { name, kind, description, fields, inputs, values, possible } = type
  const items = [
    ...[...fields.values()].map((field) => fieldItem(viewer, field, type)),
    ...[...inputs.values()].map((input) => inputItem(viewer, input)),
    ...values.map((value) => element('li', deprecated(value), nameOf(value.name), about(value.description))),
    ...possible.map((one) => element('li', {}, link(viewer, one))),
  ]
  return element(
    'section',
    {},
    element('h3', {}, name, element('small', {}, kinds[kind])),
    about(description),
    element('ul', {}, ...items),
  )
}

const kinds: Readonly<Record<string, string>> = {
  OBJECT: 'type',
  INTERFACE: 'interface',
  UNION: 'union',
  ENUM: 'enum',
  INPUT_OBJECT: 'input',
  SCALAR: 'scalar',
}

function foundView(viewer: TypeViewer, words: string): readonly Node[] {
  const { types, fields } = searchSchema(viewer.schema, words)
  if (types.length + fields.length === 0) return [element('p', {}, `Nothing is called "${words}".`)]
  return [
    element('ul', {}, ...types.map(({ name }) => element('li', {}, link(viewer, name)))),
    element(
      'ul',
      {},
      ...fields.map(({ type, name }) => element('li', {}, link(viewer, type), '.', nameOf(name))),
    ),
  ]
}

function fieldItem(viewer: TypeViewer, field: KnownField, type: KnownType): HTMLElement {
  const { name, args, description } = field
  const insert = button(
    '+',
    { class: 'insert', 'aria-label': `Insert ${name}`, title: 'Insert into the document' },
    () => viewer.insert(field, type),
  )
  return element(
    'li',
    deprecated(field),
    insert,
    nameOf(name),
    ': ',
    link(viewer, field.type),
    about(description),
    args.size > 0 && argumentList(viewer, [...args.values()]),
  )
}

const argumentList = (viewer: TypeViewer, args: readonly KnownInput[]): HTMLElement =>
  element(
    'details',
    {},
    element('summary', {}, `(${args.map(({ name }) => name).join(', ')})`),
    element('ul', {}, ...args.map((input) => inputItem(viewer, input))),
  )

const inputItem = (viewer: TypeViewer, { name, type, initial, description }: KnownInput): HTMLElement =>
  element(
    'li',
    {},
    nameOf(name),
    ': ',
    link(viewer, type),
    initial !== undefined && ` = ${initial}`,
    about(description),
  )

/** A type as it is written, whose name leads to it. */
function link({ schema, open }: TypeViewer, type: string): HTMLElement {
  const name = nameOfType(type)
  if (!schema.types.has(name)) return element('span', { class: 'type' }, type)
  const start = type.indexOf(name)
  const named = button(name, { class: 'link' }, () => open(name))
  return element('span', { class: 'type' }, type.slice(0, start), named, type.slice(start + name.length))
}

const nameOf = (name: string): HTMLElement => element('span', { class: 'name' }, name)

const about = (description: string) => description !== '' && element('p', { class: 'about' }, description)

const deprecated = ({ isDeprecated }: Pick<KnownField, 'isDeprecated'>) => ({
  class: isDeprecated ? 'deprecated' : undefined,
})
