import type { Mount } from '../http/mounts.ts'

/** Returns GraphQL with its page as a mount of the server; none where the package `graphql` is not installed beside the command. */
export async function graphqlMounts(
  from: () => Promise<Pick<typeof import('../graphql.ts'), 'graphql'>> = () => import('../graphql.ts'),
): Promise<readonly Mount[]> {
  try {
    const { graphql } = await from()
    return [graphql({ page: true })]
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Node says so of modules that it imports, and of those that it requires. */
const isMissing = (error: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(String(Reflect.get(Object(error), 'code')))
