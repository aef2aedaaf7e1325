// Flows as a mount of a handler: requests that start them, and what became of the runs.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { fault, toErrorBody, unreachable } from '../../errors/errors.ts'
import { shownError } from '../../http/error-response.ts'
import { empty, json, type Outgoing } from '../../http/messages.ts'
import type { MountRequest, MountRoute } from '../../http/mounts/mount.ts'
import type { AllowedCallers, CompiledFlow, CompiledManual, CompiledWebhook } from '../check/compiled.ts'
import { unmetBy } from '../condition.ts'
import { ConditionWork } from '../condition-work.ts'
import { callerOf, runStarter } from '../flow-rights.ts'
import { chosenError, type Rejection } from '../reject.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { routeOperations } from './route-operations.ts'
import type { SignatureSchemes } from './schemes.ts'
import type { RunAnswer, RunStarter, RunStarts } from './starts.ts'
import {
  bodyOf,
  chosenSelection,
  requestHashes,
  requestKey,
  requestTrigger,
  signedBytes,
} from './trigger-request.ts'

export function outsideRoutes(starts: RunStarts, signing: Signing): readonly MountRoute[] {
  const outside = new Outside(starts, signing)
  return [
    {
      path: '/flows/trigger/:name',
      methods: {
        GET: (engine, request) => outside.start(engine, request),
        POST: (engine, request) => outside.start(engine, request),
      },
      open: (request) => outside.startOpen(request.engine, request),
      operations: routeOperations.trigger,
    },
    {
      path: '/flows/runs/:id',
      methods: { GET: (engine, request) => outside.find(engine, request) },
      open: (request) => outside.findOpen(request.engine, request),
      operations: routeOperations.run,
    },
  ]
}

interface NamedFlow {
  readonly bound: BoundFlow
  readonly flow: RequestedFlow
}

class Outside {
  readonly #starts: RunStarts
  readonly #signing: Signing

  constructor(starts: RunStarts, signing: Signing) {
    this.#starts = starts
    this.#signing = signing
  }

  /** Starts a flow that needs no caller; undefined for one that does, and for an unknown one, which only callers may learn. */
  async startOpen(engine: Engine, request: MountRequest): Promise<Outgoing | undefined> {
    if (request.method !== 'POST' && request.method !== 'GET') return undefined
    const named = this.#named(request)
    // No flow that asks for more than a link is started by one, so that nothing is disclosed here.
    if (!named && request.method === 'GET') throw notFound()
    if (!named || asksCaller(named.flow)) return undefined
    const id = await signedIdOf(named.flow, request, engine, this.#signing)
    return this.#start(named, request, withoutRights(engine), id)
  }

  async start(engine: Engine, request: MountRequest): Promise<Outgoing> {
    const named = this.#named(request)
    if (!named || !asksCaller(named.flow) || !isAllowed(named.flow, engine)) throw notFound()
    if (request.method === 'GET' && request.isForeign())
      throw fault('FORBIDDEN', 'A link on a page of another origin starts nothing in your name.', {
        hint: 'Send a token as "Authorization: Bearer …", or let the host trust the origin.',
      })
    return this.#start(named, request, engine, undefined)
  }

  /** Returns a run of a flow that asks for no caller. */
  async findOpen(engine: Engine, request: MountRequest): Promise<Outgoing | undefined> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const found = await this.#found(request)
    if (!found || asksCaller(found.flow)) return undefined
    await signedIdOf(found.flow, request, engine, this.#signing)
    return shownRun(found.run)
  }

  /** Returns a run to a caller who may start its flow. */
  async find(engine: Engine, request: MountRequest): Promise<Outgoing> {
    const found = await this.#found(request)
    if (!found || !asksCaller(found.flow) || !isAllowed(found.flow, engine)) throw notFound()
    return shownRun(found.run)
  }

  #named({ method, parameters: { name = '' } }: MountRequest): NamedFlow | undefined {
    const named = this.#flow(name)
    const { trigger } = named?.flow ?? {}
    return method === (trigger?.on === 'webhook' ? trigger.method : 'POST') ? named : undefined
  }

  #flow(name: string): NamedFlow | undefined {
    const bound = this.#starts.flow(name)
    return bound && isRequested(bound.flow) ? { bound, flow: bound.flow } : undefined
  }

  async #found({
    parameters: { id = '' },
  }: MountRequest): Promise<(NamedFlow & { readonly run: RunAnswer }) | undefined> {
    const run = await this.#starts.find(id)
    const named = run && this.#flow(run.flow)
    return named && { ...named, run }
  }

  async #start(
    { bound, flow }: NamedFlow,
    request: MountRequest,
    engine: Engine,
    signedId: string | undefined,
  ): Promise<Outgoing> {
    const { trigger } = flow
    const key = requestKey(request, signedId)
    const sent = await bodyOf(request)
    const body = trigger.on === 'manual' ? await chosenSelection(trigger, sent, engine) : sent
    const brought = requestTrigger(request, body, trigger.on === 'webhook' ? trigger.headers : [])
    const caller = starterOf(engine)
    const run = await this.#starts.start({
      bound,
      trigger: brought,
      caller,
      request: key === undefined ? undefined : requestHashes(key, flow.name, callerOf(engine), brought),
      waitMs: trigger.waitMs,
      signal: request.signal,
    })
    return answerOf(run, request)
  }
}

/** Returns an engine without rights: what the flow starts with the access "caller" has none either. */
const withoutRights = (engine: Engine): Engine => engine.as({})

const notFound = () => plainFault('NOT_FOUND')

/** Returns the answer to who has started a run: what it returns, its error, or where to look for them. */
function answerOf({ id, state, result, error }: RunAnswer, { prefix }: MountRequest): Outgoing {
  if (state === 'succeeded')
    return result === null || result === undefined ? empty() : json(JSON.stringify(result))
  if (state === 'failed') throw errorOf(error)
  return json(JSON.stringify({ id, state }), 202, { location: `${prefix}/flows/runs/${id}` })
}

/** Returns a run to a client that looks for it. */
const shownRun = ({ id, state, result, error }: RunAnswer): Outgoing =>
  json(
    JSON.stringify({
      id,
      state,
      ...(state === 'succeeded' && { result: result ?? null }),
      ...(state === 'failed' && toErrorBody(shownError(errorOf(error)))),
    }),
  )

const errorOf = (error: Rejection | undefined): Error =>
  error ? chosenError(error) : plainFault('INTERNAL_SERVER_ERROR')

interface RequestedFlow extends CompiledFlow {
  readonly trigger: CompiledWebhook | CompiledManual
}

const isRequested = (flow: CompiledFlow): flow is RequestedFlow =>
  flow.trigger.on === 'webhook' || flow.trigger.on === 'manual'

/** True if the caller has to be known before a flow is started: to see whether they may, or because it works with their rights. */
const asksCaller = ({ trigger: { allow }, needsCaller }: RequestedFlow): boolean =>
  allow === 'public' ? needsCaller : allow !== 'signed'

const starterOf = (engine: Engine): RunStarter => runStarter(callerOf(engine))

/** True if a caller is one of those who may start a flow. */
function isAllowed({ trigger }: RequestedFlow, engine: Engine): boolean {
  const allow: AllowedCallers = trigger.allow
  if (allow === 'public') return true
  if (allow === 'signed') throw unreachable('a signed request that asks for its caller')
  const starter = starterOf(engine)
  // A host may give rules to all callers without a token: those are still not authenticated.
  if (allow === 'authenticated') return starter.user !== null || starter.role !== null || starter.admin
  const { zone, negationMatchesNull } = internalsOf(engine)
  return unmetBy(allow, starter, { zone, negationMatchesNull, work: new ConditionWork() }) === undefined
}

interface Signing {
  readonly schemes: SignatureSchemes
  readonly secrets: Readonly<Record<string, string>>
}

/** Checks the signature of a request, and returns what its sender names it by. Whatever is wrong with it, the answer is the same. */
async function signedIdOf(
  { trigger }: RequestedFlow,
  request: MountRequest,
  engine: Engine,
  { schemes, secrets }: Signing,
): Promise<string | undefined> {
  if (trigger.allow !== 'signed') return undefined
  const { scheme = '', secret = [] } = (trigger.on === 'webhook' ? trigger.hmac : undefined) ?? {}
  const row = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined
  const texts = secret.flatMap((name) => (Object.hasOwn(secrets, name) ? [secrets[name] ?? ''] : []))
  const now = internalsOf(engine).clock().getTime()
  const bytes = await signedBytes(request)
  const signed = texts.length > 0 ? await row?.verify(bytes, request.header, texts, now) : undefined
  if (!signed) throw plainFault('INVALID_CREDENTIALS')
  return signed.id
}
