import type { Outgoing } from './messages.ts'

/** True for a response that is sent without its body. */
export const isBare = (method: string, { status }: Pick<Outgoing, 'status'>): boolean =>
  method === 'HEAD' || status === 204 || status === 304

/** Cancels the body that a bare response will not send, so that its source ends. Nobody waits for that. */
export function withoutStream(
  method: string,
  outgoing: Outgoing,
  report: (error: unknown) => void,
): Outgoing {
  const { status, headers, body } = outgoing
  if (typeof body !== 'object' || !isBare(method, outgoing)) return outgoing
  body.cancel().catch(report)
  return { status, headers }
}
