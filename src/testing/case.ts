/** A test case of a contract. `run` throws if the statement in its title does not hold. */
export interface ContractCase {
  readonly title: string
  run(): Promise<void>
}
