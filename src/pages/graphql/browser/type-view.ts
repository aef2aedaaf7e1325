// A type of the schema as a list of what it has, and what a search has found.

import { button, element } from '../../kit/elements.ts'
import {
  type KnownField,
  type KnownInput,
  type KnownSchema,
  type KnownType,
  nameOfType,
} from '../language/known-schema.ts'
import { searchSchema } from '../language/search-schema.ts'

export interface TypeViewer {
  readonly schema: KnownSchema
  /** Shows another type. */
  readonly open: (name: string) => void
  /** Puts a field of a type into the document. */
  readonly insert: (field: KnownField, type: KnownType) => void
}

/** Returns the elements for a type. */
export function typeView(viewer: TypeViewer, type: KnownType): HTMLElement {
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

/** Returns the elements for what a search has found. */
export function foundView(viewer: TypeViewer, words: string): readonly Node[] {
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
