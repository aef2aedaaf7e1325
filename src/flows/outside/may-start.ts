// Callers who may start a flow from outside.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { unreachable } from '../../errors/errors.ts'
import type { MountRequest } from '../../http/mounts/mount.ts'
import type { AllowedCallers, CompiledFlow, CompiledManual, CompiledWebhook } from '../check/compiled.ts'
import { unmetBy } from '../condition.ts'
import { ConditionWork } from '../condition-work.ts'
import { callerOf, runStarter } from '../flow-rights.ts'
import type { SignatureSchemes } from './schemes.ts'
import type { RunStarter } from './starts.ts'
import { signedBytes } from './trigger-request.ts'

/** A flow that requests start. */
export interface RequestedFlow extends CompiledFlow {
  readonly trigger: CompiledWebhook | CompiledManual
}

export const isRequested = (flow: CompiledFlow): flow is RequestedFlow =>
  flow.trigger.on === 'webhook' || flow.trigger.on === 'manual'

/** True if the caller has to be known before a flow is started: to see whether they may, or because it works with their rights. */
export const asksCaller = ({ trigger: { allow }, needsCaller }: RequestedFlow): boolean =>
  allow === 'public' ? needsCaller : allow !== 'signed'

/** Returns the caller of an engine. */
export const starterOf = (engine: Engine): RunStarter => runStarter(callerOf(engine))

/** True if a caller is one of those who may start a flow. */
export function isAllowed(allow: AllowedCallers, starter: RunStarter, engine: Engine): boolean {
  if (allow === 'public') return true
  if (allow === 'signed') throw unreachable('a signed request that asks for its caller')
  // A host may give rules to everybody who has no token: that makes nobody known.
  if (allow === 'authenticated') return starter.user !== null || starter.role !== null || starter.admin
  const { zone, negationMatchesNull } = internalsOf(engine)
  return unmetBy(allow, starter, { zone, negationMatchesNull, work: new ConditionWork() }) === undefined
}

/** Schemes of signatures, and the secrets that they are made with. */
export interface Signing {
  readonly schemes: SignatureSchemes
  readonly secrets: Readonly<Record<string, string>>
}

/** Checks the signature of a request, and returns what its sender names it by. Whatever is wrong with it, the answer is the same. */
export async function signedIdOf(
  { trigger }: RequestedFlow,
  request: MountRequest,
  engine: Engine,
  { schemes, secrets }: Signing,
): Promise<string | undefined> {
  const { scheme = '', secret = [] } = (trigger.on === 'webhook' ? trigger.hmac : undefined) ?? {}
  const row = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined
  const texts = secret.flatMap((name) => (Object.hasOwn(secrets, name) ? [secrets[name] ?? ''] : []))
  const now = internalsOf(engine).clock().getTime()
  const bytes = await signedBytes(request)
  const signed = texts.length > 0 ? await row?.verify(bytes, request.header, texts, now) : undefined
  if (!signed) throw plainFault('INVALID_CREDENTIALS')
  return signed.id
}
