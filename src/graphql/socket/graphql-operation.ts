// An operation over a socket: answered once, or event by event.

import { fault, toErrorBody } from '../../errors/errors.ts'
import { shownError } from '../../http/error-response.ts'
import { tooMuchUnsent } from '../../realtime/bytes/unsent-bytes.ts'
import { isUnexpected } from '../../realtime/socket/frames.ts'
import type { FrameConditions } from '../../realtime/socket/outbox.ts'
import { mayReply, outlived } from '../../realtime/wire/message-rights.ts'
import { answer, readOperation } from '../answer/answer.ts'
import { readRequest } from '../answer/answer-graphql.ts'
import type { ResultError } from '../answer/result-error.ts'
import { followEvents } from './event-subscription.ts'
import { operationEnded } from './event-texts.ts'
import type { OperationContext, ReadOperation, RefusedOperation } from './operation-context.ts'

/** Reads a request, as it was sent. */
type Payload = () => Readonly<Record<string, unknown>>

export class GraphQLOperation {
  readonly #context: OperationContext
  readonly #over = new AbortController()

  constructor(context: OperationContext) {
    this.#context = context
  }

  /** Ends it. Nothing is said any more. */
  end(): void {
    this.#over.abort(operationEnded)
  }

  /** Answers a request. It never rejects. */
  async run(payload: Payload): Promise<void> {
    const { inTurn, look, onError } = this.#context
    try {
      const subscription = await inTurn(() => this.#answer(payload))
      if (subscription) await this.#follow(subscription, payload)
    } catch (error) {
      // A client that has left needs no answer. If its caller is no longer authenticated, the socket is closed.
      if (this.#over.signal.aborted || !(await look())) return
      if (isUnexpected(error)) onError(error)
      await this.#say('error', this.#errorText(error))
    }
  }

  /** Answers a request by the rights that its caller has when its turn comes. Returns what is to be followed, if it is a subscription. */
  async #answer(payload: Payload): Promise<ReadOperation | undefined> {
    if (this.#over.signal.aborted || !(await this.#context.look())) return undefined
    const { caller, core, hasRoom } = this.#context
    const { rechecks } = core
    const { rights, checked, calling } = await this.#requested(payload)
    const read = readOperation(checked, calling)
    if (!('isRefused' in read) && read.operation.operation === 'subscription')
      return { ...read, rights, maxRows: calling.bounds.rows }
    const { isRefused, problems, text } = 'isRefused' in read ? read : await answer(checked, calling)
    const isMutation = !('isRefused' in read) && read.operation.operation === 'mutation'
    if (!isRefused && !hasRoom(text)) throw tooMuchUnsent(isMutation)
    const maySend = mayReply(core, caller.rights, rights, rechecks)
    const isSaid = isRefused ? this.#refuse(problems, maySend) : this.#say('next', text, maySend)
    if (!(await isSaid)) throw outlived(isMutation)
    if (!isRefused) await this.#say('complete')
    return undefined
  }

  async #follow(operation: ReadOperation, payload: Payload): Promise<void> {
    const leave = this.#context.core.users.take(operation.rights.access.user)
    try {
      const refused = await followEvents(operation, {
        ...this.#context,
        signal: this.#over.signal,
        say: (text, maySend) => this.#say('next', text, maySend),
        readAgain: () => this.#readAgain(payload),
      })
      await (refused ? this.#refuse(refused.problems) : this.#say('complete'))
    } finally {
      leave()
    }
  }

  /** Reads the operation by the rights of now. */
  async #readAgain(payload: Payload): Promise<ReadOperation | RefusedOperation> {
    const { rights, checked, calling } = await this.#requested(payload)
    const read = readOperation(checked, calling)
    if ('isRefused' in read) return { problems: read.problems ?? [] }
    return { ...read, rights, maxRows: calling.bounds.rows }
  }

  async #requested(payload: Payload) {
    const { caller: asking, core: feed, answering, onError } = this.#context
    const rights = await asking.rights.fresh(feed.recheckMs)
    const options = { ...answering, signal: this.#over.signal }
    const read = await readRequest(rights.engine.asEngine(), payload(), options)
    const { checked, core: engine, caller, bounds, call } = read
    const report = (error: unknown) => {
      if (error !== operationEnded) onError(error)
    }
    return { rights, checked, calling: { engine, caller, bounds, options: call, report } }
  }

  /** An error of the host may hold what JSON has no text for. */
  #errorText(error: unknown): string {
    try {
      return JSON.stringify(shownErrors(error))
    } catch (cause) {
      this.#context.onError(cause)
      return JSON.stringify(shownErrors(cause))
    }
  }

  #refuse(problems: readonly ResultError[] = [], maySend?: FrameConditions['maySend']): Promise<boolean> {
    return this.#say('error', JSON.stringify(problems), maySend)
  }

  /** Resolves with false if it is not sent: it is no longer wanted, or may no longer be sent when its turn comes. */
  async #say(
    type: 'next' | 'error' | 'complete',
    payload?: string,
    maySend?: FrameConditions['maySend'],
  ): Promise<boolean> {
    const { signal } = this.#over
    if (signal.aborted) return false
    const more = payload === undefined ? '' : `,"payload":${payload}`
    const text = `{"id":${JSON.stringify(this.#context.id)},"type":"${type}"${more}}`
    return this.#context.send(text, { signal, maySend })
  }
}

/** Returns an error as clients see it. */
export const shownErrors = (reason: unknown): readonly object[] => toErrorBody(shownError(reason)).errors

/** The error of an operation that was not taken. */
export const tooMuch = () =>
  fault('TOO_MANY_REQUESTS', 'This socket asks for more at a time than it may.', {
    hint: 'Complete some operations first.',
  })
