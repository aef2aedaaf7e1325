import type { Outgoing, Reply } from '../messages.ts'

/** True for a response that is sent without its body. */
export const isBare = (method: string, { status }: Pick<Outgoing, 'status'>): boolean =>
  method === 'HEAD' || isBodiless(status)

/** True for a status whose responses never have a body, nor a length. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205 || status === 304

/** Cancels the body that a bare response will not send, so that its source ends. The response does not wait for that. */
export function withoutStream(method: string, reply: Reply, report: (error: unknown) => void): Reply {
  const { status, headers, body } = reply
  if (typeof body !== 'object' || !isBare(method, reply)) return reply
  body.cancel(undefined).catch(report)
  return { status, headers }
}
