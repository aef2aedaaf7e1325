// Runs the document, shows how it goes, and lets the user stop it.

import type { Editor } from '../../kit/editor.ts'
import { element, fill } from '../../kit/elements.ts'
import { variablesProblem } from '../../kit/json-problem.ts'
import { errorsInText } from '../language/answer-errors.ts'
import { answerFacts, answerText, showAnswer } from './answer-view.ts'
import { showErrors } from './error-list.ts'
import type { Layout } from './layout.ts'
import type { OperationChoice } from './operation-choice.ts'
import { type ReceivedAnswer, send } from './send.ts'

export interface Runner {
  /** Runs the document, or stops the one that is running. */
  readonly run: () => void
  /** Returns the whole answer as it is shown. */
  readonly answerText: () => string
}

export interface RunnerInput {
  readonly editor: Editor
  readonly variables: Editor
  readonly operation: OperationChoice
}

type RunnerParts = Pick<Layout, 'run' | 'token' | 'answer' | 'errors' | 'facts' | 'copy'>

/** Creates what runs the document of an editor. */
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
