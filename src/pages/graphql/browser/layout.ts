// The parts of the page and where they stand.
import { button, element } from '../../kit/elements.ts'

export interface Layout {
  readonly header: HTMLElement
  readonly document: HTMLElement
  readonly variables: HTMLElement
  readonly operation: HTMLSelectElement
  readonly run: HTMLButtonElement
  readonly token: HTMLInputElement
  readonly answer: HTMLElement
  readonly errors: HTMLElement
  readonly facts: HTMLElement
  readonly copy: HTMLButtonElement
  /** Hides the schema where it lies over the document. */
  readonly hideSchema: () => void
}

interface LayoutActions {
  readonly run: () => void
  readonly prettify: () => void
  readonly link: () => void
  readonly copy: () => void
}

/** Builds the page around the panel of the schema. */
export function buildLayout(schema: HTMLElement, actions: LayoutActions): Layout {
  const operation = element('select', { 'aria-label': 'Operation to run', hidden: true })
  const run = button('Run', { class: 'run', title: 'Ctrl+Enter' }, actions.run)
  const copy = button('Copy', { hidden: true }, actions.copy)
  const token = element('input', {
    ...{ type: 'password', id: 'token', placeholder: 'none', spellcheck: 'false' },
    // A manager of passwords would write the one of a login here, and it would be sent.
    ...{ autocomplete: 'new-password', 'data-1p-ignore': true, 'data-lpignore': 'true' },
    title: 'Sent as "Authorization: Bearer …". It stays in the memory of this page.',
  })
  const showSchema = (isShown: boolean): void => {
    schema.hidden = !isShown
    toggle.setAttribute('aria-expanded', String(isShown))
  }
  const toggle = button('Schema', { 'aria-controls': schema.id }, () => showSchema(schema.hidden !== false))
  showSchema(isWide('70rem'))
  const header = element(
    'header',
    {},
    element('h1', {}, 'GraphQL', element('small', {}, location.pathname)),
    toggle,
    element('span', { class: 'grow' }),
    element('label', {}, 'Token', token),
  )
  const parts = {
    ...{ header, operation, run, token, copy },
    hideSchema: () => isWide('50rem') || showSchema(false),
    document: element('div', { id: 'document', class: 'pane' }),
    variables: element('div', { id: 'variables', class: 'pane' }),
    answer: element(
      'div',
      { id: 'answer', tabindex: '0', 'aria-label': 'Answer', role: 'region' },
      element('p', { class: 'sentence' }, hints),
    ),
    errors: element('ul', { id: 'errors', 'aria-label': 'Errors', hidden: true }),
    facts: element('span', { class: 'facts grow', role: 'status' }),
  }
  const request = element(
    'section',
    { class: 'request', 'aria-label': 'Request' },
    element(
      'div',
      { class: 'bar' },
      run,
      operation,
      element('span', { class: 'grow' }),
      button('Prettify', { title: 'Shift+Alt+F' }, actions.prettify),
      button(
        'Copy link',
        { title: 'The address of this page with the document and its variables, and without the token' },
        actions.link,
      ),
    ),
    parts.document,
    element('h2', {}, 'Variables'),
    parts.variables,
  )
  const answer = element(
    'section',
    { class: 'answer', 'aria-label': 'Answer and errors' },
    element('div', { class: 'bar' }, element('h2', {}, 'Answer'), parts.facts, copy),
    parts.errors,
    parts.answer,
  )
  document.body.append(header, element('main', {}, schema, request, answer))
  return parts
}

const isWide = (least: string): boolean => matchMedia(`(min-width: ${least})`).matches

const hints = 'Ctrl+Enter runs the document, Ctrl+Space completes what you write, Shift+Alt+F makes it even.'
