/** Something that was read from the service's tables and is left out or changed, and why. */
export interface CmsRemark {
  readonly collection?: string
  readonly field?: string
  /** The key of a permission, a policy, a role or a user. */
  readonly permission?: string
  readonly policy?: string
  readonly role?: string
  readonly user?: string
  /** A sentence. */
  readonly message: string
}
