/** One sentence of a contract, and the proof of it. It throws where the sentence does not hold. */
export interface ContractCase {
  readonly title: string
  run(): Promise<void>
}
