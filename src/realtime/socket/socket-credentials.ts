import { isRecord } from '../../values/guards.ts'
import type { SocketCredentials } from './socket-handler.ts'
import type { SocketSettings } from './socket-settings.ts'

/** Members of a message that say who a socket is. */
export type Credentials = Readonly<Partial<Record<(typeof names)[number], string>>>

const names = ['access_token', 'email', 'password', 'refresh_token'] as const

/** Returns the texts in a message that say who a socket is. The rest would be in memory as long as the host is asked. */
export const credentialTexts = (members: Readonly<Record<string, unknown>>): Credentials =>
  Object.fromEntries(
    names.flatMap((name) => {
      const { [name]: text } = members
      return typeof text === 'string' ? [[name, text]] : []
    }),
  )

/** A token, and what else the answer contains. */
interface FoundToken {
  readonly token: string
  readonly refresh_token?: string | undefined
}

export async function tokenIn(
  credentials: Credentials,
  { login }: Pick<SocketSettings, 'login'>,
  request: Request,
): Promise<FoundToken | undefined> {
  const { access_token: token } = credentials
  if (token !== undefined) return { token }
  const shown = loginIn(credentials)
  if (!login || !shown) return undefined
  const tokens = await login(shown, request)
  return isRecord(tokens) ? { token: tokens.access_token, refresh_token: tokens.refresh_token } : undefined
}

function loginIn({ email, password, refresh_token }: Credentials): SocketCredentials | undefined {
  if (refresh_token !== undefined) return { refresh_token }
  return email !== undefined && password !== undefined ? { email, password } : undefined
}
