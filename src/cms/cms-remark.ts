/** A remark about data in the service's tables that is left out or changed, with the reason. */
export interface CmsRemark {
  readonly collection?: string
  readonly field?: string
  /** Key of a permission, a policy, a role or a user. */
  readonly permission?: string
  readonly policy?: string
  readonly role?: string
  readonly user?: string
  /** A sentence. */
  readonly message: string
}
