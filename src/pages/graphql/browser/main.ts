// The page to write and run documents of GraphQL. Start here: its parts, and what happens between them.

import { createEditor } from '../../kit/editor.ts'
import { jsonTokens } from '../../kit/json-pieces.ts'
import { helpTyping } from '../../kit/typing.ts'
import { errorsInText } from '../language/answer-errors.ts'
import { complete } from '../language/complete.ts'
import { completeVariables } from '../language/complete-variables.ts'
import { documentColours } from '../language/document-tokens.ts'
import { type KnownSchema, readSchema, schemaQuestion } from '../language/known-schema.ts'
import { prettyDocument } from '../language/pretty-document.ts'
import { fieldSnippet, insertionOf } from '../language/snippet.ts'
import { buildLayout } from './layout.ts'
import { createOperationChoice } from './operation-choice.ts'
import { createRunner } from './runner.ts'
import { createSchemaPanel } from './schema-panel.ts'
import { type ReceivedAnswer, send } from './send.ts'
import { suggestIn } from './suggestions.ts'

let schema: KnownSchema | undefined
/** True while the page itself writes into its editors. */
let isFilling = false
let loading = new AbortController()
let typed: number | undefined

const panel = createSchemaPanel((field, type) => {
  if (!schema) return
  const { start, end, text } = insertionOf(editor.text(), editor.field.selectionStart, {
    snippet: fieldSnippet(field, schema),
    operation: [...schema.roots].find(([, name]) => name === type.name)?.[0],
  })
  editor.replace(start, end, text)
  parts.hideSchema()
})
const parts = buildLayout(panel.element, {
  run: () => runner.run(),
  prettify,
  link: () => copy(linkTo(written())),
  copy: () => copy(runner.answerText()),
})
const editor = createEditor(parts.document, {
  label: 'Document',
  hint: '{ … }',
  colours: documentColours,
  onChange: changed,
})
const variables = createEditor(parts.variables, {
  label: 'Variables, as JSON',
  hint: '{ "name": "value" }',
  colours: (text) => [...jsonTokens(text)].map((one) => ({ ...one, end: one.start + one.text.length })),
  onChange: changed,
})
const operation = createOperationChoice(parts.operation, editor)
const runner = createRunner(parts, { editor, variables, operation })

suggestIn(editor, (text, cursor) => complete(text, cursor, schema))
suggestIn(variables, (text, cursor) => completeVariables(text, cursor, { document: editor.text(), schema }))
helpTyping(editor)
helpTyping(variables)
addEventListener('keydown', (event) => {
  const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
  const isPrettify = event.code === 'KeyF' && event.shiftKey && event.altKey
  if (!isRun && !isPrettify) return
  event.preventDefault()
  if (isRun) runner.run()
  else prettify()
})
parts.token.addEventListener('input', () => {
  clearTimeout(typed)
  typed = window.setTimeout(showSchema, 400)
})

addEventListener('hashchange', showKept)
showKept()
// A finger brings a keyboard over half of the page.
if (!matchMedia('(pointer: coarse)').matches) editor.field.focus()
showSchema()

function written() {
  return { document: editor.text(), variables: variables.text() }
}

/** Shows what the address or this tab holds. */
function showKept(): void {
  const kept = keptDocument()
  if (!kept) return
  isFilling = true
  editor.setText(kept.document)
  variables.setText(kept.variables)
  isFilling = false
}

function changed(): void {
  if (!isFilling) keepDocument(written())
  operation.update()
}

function prettify(): void {
  const pretty = prettyDocument(editor.text())
  if (typeof pretty !== 'string') editor.mark([pretty])
  else if (pretty !== editor.text()) editor.replace(0, editor.text().length, pretty)
}

/** Copies a text, and says so. Browsers allow it on secure pages, and on this machine. */
function copy(text: string): void {
  const say = (sentence: string) => {
    parts.facts.textContent = sentence
  }
  if (!navigator.clipboard) say('This browser copies from secure pages alone.')
  else
    navigator.clipboard.writeText(text).then(
      () => say('Copied.'),
      () => say('The browser has not allowed it.'),
    )
}

/** Asks for the schema of the caller, and forgets that of the previous one. */
function showSchema(): void {
  loading.abort()
  loading = new AbortController()
  const { signal } = loading
  schema = undefined
  panel.say('The schema is loading …')
  void loadSchema(parts.token.value.trim(), signal).then((found) => {
    if (signal.aborted) return
    if (typeof found === 'string') {
      panel.say(found)
      return
    }
    schema = found
    panel.show(found)
  })
}

// The schema that the caller sees, or one sentence about why there is none.

async function loadSchema(token: string, signal: AbortSignal): Promise<KnownSchema | string> {
  const request = { query: schemaQuestion, variables: '', operation: '', token, signal }
  const answer = await send(request).catch(() => undefined)
  return answer ? readAnswer(answer, token) : 'The server cannot be reached.'
}

function readAnswer({ text, isJson, status }: ReceivedAnswer, token: string): KnownSchema | string {
  const schema = isJson ? schemaIn(text) : undefined
  if (schema) return schema
  if (status === 401)
    return token === ''
      ? 'The server wants a token. Type it in above.'
      : 'The server does not know this token.'
  const [reason = `It has answered ${status}.`] = (isJson ? errorsInText(text) : []).map(
    ({ message }) => message,
  )
  if (/introspection/i.test(reason))
    return 'Introspection is off on this server. Documents run as ever, without completion and without a schema at the side.'
  return `The server does not show its schema, so that nothing can be completed. It says: ${reason}`
}

function schemaIn(text: string): KnownSchema | undefined {
  try {
    return readSchema(Reflect.get(Object(JSON.parse(text)), 'data'))
  } catch {
    // The errors of the answer say that it is no JSON.
    return undefined
  }
}

// Place of the document: in the entry of this tab's history, so that a new load shows it again; and in the address of a link, when the user
// makes one. Nothing is written to a storage, and a token to none of them.

interface KeptDocument {
  readonly document: string
  readonly variables: string
}

/** Returns what the link holds, or else what this tab has shown before. */
function keptDocument(): KeptDocument | undefined {
  const linked = new URLSearchParams(location.hash.slice(1))
  const document = linked.get('document')
  if (document !== null) return { document, variables: linked.get('variables') ?? '' }
  const kept: unknown = history.state
  const text = (name: string): string => String(Reflect.get(Object(kept), name) ?? '')
  return kept === null ? undefined : { document: text('document'), variables: text('variables') }
}

let waiting: number | undefined

/** Keeps a document a moment later: browsers count how often it is done. The address loses what it held of another one. */
function keepDocument(kept: KeptDocument): void {
  clearTimeout(waiting)
  // Browsers refuse what is larger.
  if (kept.document.length + kept.variables.length > 200_000) return
  waiting = window.setTimeout(
    () => history.replaceState(kept, '', location.origin + location.pathname + location.search),
    300,
  )
}

/** Puts a document into the address, and returns it. */
function linkTo(kept: KeptDocument): string {
  clearTimeout(waiting)
  const { document, variables } = kept
  history.replaceState(
    kept,
    '',
    `#${new URLSearchParams({ document, ...(variables.trim() && { variables }) })}`,
  )
  return location.href
}
