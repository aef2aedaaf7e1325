// Credentials in a message that says who a socket is.

import { isRecord } from '../../values/guards.ts'
import type { SocketCredentials } from './socket-handler.ts'
import type { SocketSettings } from './socket-settings.ts'

/** A token, and what the answer tells besides. */
interface FoundToken {
  readonly token: string
  readonly refresh_token?: string | undefined
}

/** Returns the token of a message: its own, or that of a login. */
export async function tokenIn(
  members: Readonly<Record<string, unknown>>,
  { login }: Pick<SocketSettings, 'login'>,
  request: Request,
): Promise<FoundToken | undefined> {
  const { access_token: token } = members
  if (typeof token === 'string') return { token }
  const credentials = credentialsIn(members)
  if (!login || !credentials) return undefined
  const tokens = await login(credentials, request)
  return isRecord(tokens) ? { token: tokens.access_token, refresh_token: tokens.refresh_token } : undefined
}

/** Returns credentials, if there are some. */
function credentialsIn({
  email,
  password,
  refresh_token,
}: Readonly<Record<string, unknown>>): SocketCredentials | undefined {
  if (typeof refresh_token === 'string') return { refresh_token }
  return typeof email === 'string' && typeof password === 'string' ? { email, password } : undefined
}
