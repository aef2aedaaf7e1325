// Runs the document, shows how it goes, and lets the user stop it.

import type { Mark } from '../../kit/coloured-text.ts'
import type { Editor } from '../../kit/editor.ts'
import { button, element, fill } from '../../kit/elements.ts'
import { type JsonPiece, jsonLines } from '../../kit/json-pieces.ts'
import { variablesProblem } from '../../kit/json-problem.ts'
import { errorsInText, type ListedError, rangesOf } from '../language/answer-errors.ts'
import type { Layout } from './layout.ts'
import type { OperationChoice } from './operation-choice.ts'
import { type ReceivedAnswer, send } from './send.ts'

interface Runner {
  readonly run: () => void
  readonly answerText: () => string
}

interface RunnerInput {
  readonly editor: Editor
  readonly variables: Editor
  readonly operation: OperationChoice
}

type RunnerParts = Pick<Layout, 'run' | 'token' | 'answer' | 'errors' | 'facts' | 'copy'>

export function createRunner(parts: RunnerParts, { editor, variables, operation }: RunnerInput): Runner {
  let running: AbortController | undefined
  let received: ReceivedAnswer | undefined

  const show = (answer: ReceivedAnswer): void => {
    received = answer
    parts.facts.textContent = answerFacts(answer)
    showErrors(parts.errors, errorsOf(answer), editor)
    showAnswer(parts.answer, answer)
    parts.copy.hidden = false
  }
  const say = (sentence: string): void => {
    fill(parts.answer, element('p', { class: 'sentence' }, sentence))
    parts.errors.hidden = true
    parts.facts.textContent = ''
  }
  const start = async (stop: AbortController): Promise<void> => {
    running = stop
    setRunning(parts, true)
    editor.mark([])
    const request = { query: editor.text(), variables: variables.text(), operation: operation.name() }
    const token = parts.token.value.trim()
    // A request fails by the network alone, or because it was stopped.
    const answer = await send({ ...request, token, signal: stop.signal }).catch(() => undefined)
    running = undefined
    setRunning(parts, false)
    if (answer) show(answer)
    else say(stop.signal.aborted ? 'The request was stopped.' : 'The server cannot be reached.')
  }
  const run = (): void => {
    const problem = variablesProblem(variables.text())
    variables.mark(problem ? [problem] : [])
    if (problem) variables.select(problem.start, problem.end)
    else void start(new AbortController())
  }
  return {
    run: () => (running ? running.abort() : run()),
    answerText: () => (received ? answerText(received) : ''),
  }
}

function setRunning({ run, answer }: RunnerParts, isRunning: boolean): void {
  run.textContent = isRunning ? 'Stop' : 'Run'
  run.classList.toggle('running', isRunning)
  answer.setAttribute('aria-busy', String(isRunning))
}

/** A text without the word has no errors, and a large one is not read for them. */
function errorsOf({ text, isJson }: ReceivedAnswer) {
  return isJson && text.includes('"errors"') ? errorsInText(text) : []
}

// The errors of a result. Pointing to one shows its place in the document.

/** Shows errors in an element, and marks their places in the document that was sent. */
function showErrors(host: HTMLElement, errors: readonly ListedError[], editor: Editor): void {
  const sent = editor.text()
  const ranges = errors.map((error) => rangesOf(sent, error))
  // Places of another document would be wrong.
  const mark = (shown: number | undefined): readonly Mark[] => {
    const marks = ranges.flatMap((all, index) =>
      all.map((range) => ({ ...range, message: '', isShown: index === shown })),
    )
    if (editor.text() === sent)
      editor.mark([...marks].sort((one, other) => Number(other.isShown) - Number(one.isShown)))
    return marks.filter(({ isShown }) => isShown)
  }
  const item = (error: ListedError, index: number): HTMLElement => {
    const go = () => {
      const [first] = mark(index)
      if (first && editor.text() === sent) editor.select(first.start, first.start)
    }
    const created = button('', { class: 'failure' }, go)
    fill(created, ...partsOf(error))
    for (const name of ['mouseenter', 'focus'] as const) created.addEventListener(name, () => mark(index))
    for (const name of ['mouseleave', 'blur'] as const) created.addEventListener(name, () => mark(undefined))
    return element('li', {}, created)
  }
  host.hidden = errors.length === 0
  fill(host, ...errors.map(item))
  if (errors.length > 0) mark(undefined)
}

function partsOf({ message, code, hint, path, lines }: ListedError): readonly Node[] {
  const places = lines.map(({ line, column }) => `${line}:${column}`).join(', ')
  const facts = [places, path, code].filter((fact) => fact !== '').join(' · ')
  return [
    element('span', { class: 'message' }, message),
    ...(hint === '' ? [] : [element('span', { class: 'hint' }, hint)]),
    element('span', { class: 'facts' }, facts),
  ]
}

// The answer, in colours. A large one is shown in parts: its first lines at once, the next ones when they are wanted.

/** Lines that are shown at once. */
const portion = 1_000
/** Characters of one text that are shown. */
const longest = 5_000

function showAnswer(host: HTMLElement, { text, isJson }: ReceivedAnswer): void {
  if (!isJson) {
    fill(host, element('pre', {}, cut(text)))
    return
  }
  const shown = element('pre', { class: 'json' })
  const lines = jsonLines(text)
  const more = button(`Show ${portion.toLocaleString()} more lines`, {}, () => add())
  const add = (): void => {
    for (let count = 0; count < portion; count++) {
      const { value, done } = lines.next()
      if (done) {
        more.remove()
        return
      }
      shown.append(...value.map(piece), '\n')
    }
    host.append(more)
  }
  fill(host, shown)
  add()
}

const answerText = ({ text, isJson }: ReceivedAnswer): string =>
  isJson ? [...jsonLines(text)].map((line) => line.map((one) => one.text).join('')).join('\n') : text

const piece = ({ kind, text }: JsonPiece): Node =>
  kind === 'space' || kind === 'sign'
    ? document.createTextNode(text)
    : element('span', { class: kind }, cut(text))

const cut = (text: string): string =>
  text.length > longest
    ? `${text.slice(0, longest)}… (${(text.length - longest).toLocaleString()} more)`
    : text

/** Returns how an answer came: its status, its time and its size. */
const answerFacts = ({ status, milliseconds, bytes }: ReceivedAnswer): string =>
  `${status} · ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms · ${sizeText(bytes)}`

const sizeText = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
