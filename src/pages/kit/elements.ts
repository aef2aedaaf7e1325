// Elements of the page. What a server says becomes the text of a node and never HTML.

type Child = Node | string | undefined | false

type Properties = Readonly<Record<string, string | boolean | undefined>>

/** Creates an element. A property that is undefined or false is left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name)
  for (const [property, value] of Object.entries(properties))
    if (value !== undefined && value !== false) created.setAttribute(property, value === true ? '' : value)
  created.append(...present(children))
  return created
}

/** Puts children into an element, in the place of those that it has. */
export const fill = (parent: Element, ...children: readonly Child[]): void =>
  parent.replaceChildren(...present(children))

const present = (children: readonly Child[]): readonly (Node | string)[] =>
  children.filter((child): child is Node | string => child !== undefined && child !== false)

/** Creates a button that does something. */
export function button(text: string, properties: Properties, act: () => void): HTMLButtonElement {
  const created = element('button', { type: 'button', ...properties }, text)
  created.addEventListener('click', act)
  return created
}
