import type { EngineError } from '../../errors/errors.ts'

/** Options of `createFlows` that flows may need. */
export const cmsFlowNeeds = ['cron', 'jwt', 'send', 'script', 'access'] as const
/** An option of `createFlows` that a flow needs. */
export type CmsFlowNeed = (typeof cmsFlowNeeds)[number]

/** A difference between a flow of the service and its definition here. */
export interface CmsFlowRemark {
  /** Key of the flow. */
  readonly flow: string
  /** Key of the operation, as templates name it. */
  readonly operation?: string
  /** The option of `createFlows` that it needs, and that `readCmsFlows` was not given. */
  readonly needs?: CmsFlowNeed
  /** A sentence. It begins with `Left out:` where the flow is not among the definitions. */
  readonly message: string
}

/** Remarks about one flow. Of one that is left out only the reasons count. */
export class FlowReport {
  readonly #flow: string
  /** By their text: a remark that several templates have in common is reported once. */
  readonly #differences = new Map<string, CmsFlowRemark>()
  readonly #reasons: CmsFlowRemark[] = []

  constructor(flow: string) {
    this.#flow = flow
  }

  /** True if the flow is not among the definitions. */
  get isLeftOut(): boolean {
    return this.#reasons.length > 0
  }

  get remarks(): readonly CmsFlowRemark[] {
    return this.isLeftOut ? this.#reasons : [...this.#differences.values()]
  }

  note(message: string, operation?: string): void {
    this.#differences.set(JSON.stringify([operation, message]), this.#remark(message, operation))
  }

  /** Reports an option without which `createFlows` refuses the flow. */
  noteNeed(needs: CmsFlowNeed, message: string, operation?: string): void {
    const remark = { ...this.#remark(message, operation), needs }
    this.#differences.set(JSON.stringify([operation, message]), remark)
  }

  /** Leaves the flow out until an option is given. */
  refuseWithout(needs: CmsFlowNeed, reason: string): void {
    this.#reasons.push({ ...this.#remark(`Left out: ${reason}`, undefined), needs })
  }

  /** Leaves the flow out. */
  refuse(reason: string, operation?: string): void {
    this.#reasons.push(this.#remark(`Left out: ${reason}`, operation))
  }

  /** Leaves the flow out for a mistake of its definition. */
  refuseFor({ path = [], message, hint }: EngineError): void {
    const [root, key, ...inner] = path
    const operation = root === 'operations' && key !== undefined ? String(key) : undefined
    const place = operation === undefined ? path : inner
    const says = [message, ...(hint === undefined ? [] : [hint])].join(' ')
    this.refuse(place.length > 1 ? `${says} Place: ${place.join('.')}.` : says, operation)
  }

  #remark(message: string, operation: string | undefined): CmsFlowRemark {
    return { flow: this.#flow, ...(operation !== undefined && { operation }), message }
  }
}
