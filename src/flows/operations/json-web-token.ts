import { z } from 'zod'
import { fault, isEngineError } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import { readJson } from '../chain/chain.ts'
import { defineOperation, type OptionProblem } from '../operation-type.ts'
import { badValue } from '../reject.ts'
import { controlOf } from '../run/run-operation.ts'
import type { JoseModule } from '../world/flow-world.ts'

/** Algorithms by the kind of their keys. There is none without a key. */
const families = {
  shared: ['HS256', 'HS384', 'HS512'],
  rsa: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  curve: ['ES256', 'ES384', 'ES512', 'EdDSA'],
} as const
const algorithm = z.enum([...families.shared, ...families.rsa, ...families.curve])
type Algorithm = z.output<typeof algorithm>

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, y: 31_557_600 } as const
const duration = z.union([
  z.number().min(0),
  z
    .string()
    .regex(/^\d{1,10}[smhdwy]?$/, 'a time is a number of seconds, or has a unit: "15m"')
    .transform((text) => Number.parseInt(text, 10) * (seconds[text.at(-1) as keyof typeof seconds] ?? 1)), // undefined for a digit
])

const texts = z.union([z.string(), z.array(z.string()).min(1)])
const settings = z.strictObject({
  algorithm: algorithm.default('HS256'),
  algorithms: z.array(algorithm).min(1).optional(),
  expiresIn: duration.optional(),
  notBefore: duration.optional(),
  audience: texts.optional(),
  issuer: texts.optional(),
  subject: z.string().optional(),
  jwtid: z.string().optional(),
  keyid: z.string().optional(),
  noTimestamp: z.boolean().default(false),
  clockTolerance: duration.default(0),
  maxAge: duration.optional(),
})
type Settings = z.output<typeof settings>

export const jsonWebToken = defineOperation({
  kind: 'pure',
  doc: 'Signs, verifies or decodes a JSON Web Token, and answers the token, or its payload. One that is not valid fails with INVALID_CREDENTIALS, one that has expired with TOKEN_EXPIRED.',
  options: {
    operation: {
      schema: z.enum(['sign', 'verify', 'decode']),
      doc: '`sign`, `verify` or `decode`. `decode` alone does not check who issued the token.',
    },
    payload: { schema: z.unknown(), doc: 'Of `sign`: an object, or the text of one as JSON.' },
    token: { schema: z.string().optional(), doc: 'Of `verify` and `decode`: the token.' },
    secret: {
      schema: z.string().min(1).optional(),
      isSecret: true,
      doc: 'The key: a text for HS256, HS384 and HS512, for others the PEM of a private key (PKCS 8), or of a public one (SPKI, X.509).',
    },
    options: {
      schema: settings.default(settings.parse({})),
      doc: '`algorithms`, which `verify` wants; of `sign` `algorithm`, by default HS256, `expiresIn`, `notBefore`, `noTimestamp` and `keyid`; `audience`, `issuer`, `subject`, `jwtid`; of `verify` `clockTolerance` and `maxAge`. Times are seconds, or `"15m"`.',
    },
  },
  problemsOf: ({ operation, secret, options }) => {
    if (operation !== 'sign' && operation !== 'verify') return []
    const keyless = secret === undefined ? [{ path: ['secret'], message: noKeyFor(operation) }] : []
    return operation === 'verify' ? [...keyless, ...problemsOfAlgorithms(options)] : keyless
  },
  async run({ operation, payload, token = '', secret, options }, context) {
    const { world, now } = controlOf(context).run.start.parts
    const { jwt } = world
    if (!jwt) throw badValue('This host has no package for tokens.')
    try {
      if (operation === 'decode') return jwt.decodeJwt(token)
      if (secret === undefined) throw badValue(noKeyFor(operation), ['secret'])
      if (operation === 'sign') return await signed(jwt, payload, { secret, options, now: now() })
      return await verified(jwt, token, { secret, options, now: now() })
    } catch (error) {
      if (isEngineError(error)) throw error
      throw asCredentials(error)
    }
  },
})

const noKeyFor = (operation: 'sign' | 'verify') => `To ${operation} a token takes a key.`
const noAlgorithms = 'To verify a token takes the algorithms that it may be signed by.'
const mixedAlgorithms = 'The algorithms of one key are of one kind.'

/** Mistakes of the algorithms of a token, where no template hides them. */
function problemsOfAlgorithms(options: unknown = {}): readonly OptionProblem[] {
  const path = ['options', 'algorithms']
  if (!isRecord(options)) return []
  const { algorithms } = options
  if (algorithms === undefined)
    return [{ path, message: noAlgorithms, hint: 'Of a shared key: { "algorithms": ["HS256"] }.' }]
  const families = Array.isArray(algorithms) ? algorithms.flatMap((one) => familyOf(one) ?? []) : []
  return new Set(families).size > 1 ? [{ path, message: mixedAlgorithms }] : []
}

interface Signing {
  readonly secret: string
  readonly options: Settings
  readonly now: Date
}

async function signed(jwt: JoseModule, payload: unknown, { secret, options, now }: Signing): Promise<string> {
  const claims = readClaims(payload)
  const issued = Math.floor(now.getTime() / 1_000)
  const { expiresIn, notBefore, audience, issuer, subject, jwtid, keyid, noTimestamp } = options
  const added = {
    iat: noTimestamp || 'iat' in claims ? undefined : issued,
    exp: expiresIn === undefined ? undefined : issued + Math.floor(expiresIn),
    nbf: notBefore === undefined ? undefined : issued + Math.floor(notBefore),
    aud: audience,
    iss: issuer,
    sub: subject,
    jti: jwtid,
  }
  const defined = Object.entries(added).filter(([, value]) => value !== undefined)
  const twice = defined.find(([name]) => name in claims)
  if (twice) throw badValue(`"${twice[0]}" stands in the payload and in the options.`, ['options'])
  const key = await keyOf(jwt, secret, options.algorithm, 'sign')
  const header = { alg: options.algorithm, typ: 'JWT', ...(keyid !== undefined && { kid: keyid }) }
  return new jwt.SignJWT({ ...claims, ...Object.fromEntries(defined) }).setProtectedHeader(header).sign(
    // The type of a key is the package's own.
    key as never,
  )
}

function readClaims(payload: unknown): Readonly<Record<string, unknown>> {
  const claims = typeof payload === 'string' ? readJson(payload) : payload
  if (isRecord(claims)) return claims
  throw badValue('The payload of a token is an object, or the text of one.', ['payload'])
}

async function verified(jwt: JoseModule, token: string, { secret, options, now }: Signing): Promise<object> {
  const { algorithms, audience, issuer, subject, jwtid, clockTolerance, maxAge } = options
  const path = ['options', 'algorithms']
  const [first] = algorithms ?? []
  if (!algorithms || first === undefined) throw badValue(noAlgorithms, path)
  // Else a public key could be taken for the text of a shared one, which everybody has then.
  if (algorithms.some((one) => familyOf(one) !== familyOf(first))) throw badValue(mixedAlgorithms, path)
  const wanted = { audience, issuer, subject, maxTokenAge: maxAge }
  const keys = await keysOf(jwt, secret, algorithms)
  const keyFor = ({ alg }: { readonly alg?: unknown }) => {
    const key = keys.get(alg)
    if (key === undefined) throw notValid()
    return key
  }
  const { payload } = await jwt.jwtVerify(
    token,
    // The type of a key is the package's own.
    keyFor as never,
    {
      ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
      algorithms,
      clockTolerance,
      currentDate: now,
    },
  )
  if (jwtid !== undefined && Reflect.get(payload, 'jti') !== jwtid) throw notValid()
  return payload
}

const familyOf = (name: unknown): string | undefined =>
  Object.entries(families).find(([, names]) => names.some((one) => one === name))?.[0]

/** Returns the key for each algorithm that it is one of: a key that was read for one is none for the others. */
async function keysOf(
  jwt: JoseModule,
  secret: string,
  algorithms: readonly Algorithm[],
): Promise<ReadonlyMap<unknown, unknown>> {
  const keys = new Map<unknown, unknown>()
  let refused: unknown
  for (const algorithm of new Set(algorithms))
    try {
      keys.set(algorithm, await keyOf(jwt, secret, algorithm, 'verify'))
    } catch (error) {
      refused ??= error
    }
  if (keys.size === 0) throw refused
  return keys
}

/** Bits of a key of RSA. The package takes no shorter one, and says so of each token. */
const leastBits = 2_048

async function keyOf(
  jwt: JoseModule,
  secret: string,
  algorithm: Algorithm,
  use: 'sign' | 'verify',
): Promise<unknown> {
  const isPem = secret.trimStart().startsWith('-----BEGIN ')
  const refused = () => badValue(`This is no key of ${algorithm}.`, ['secret'])
  if (familyOf(algorithm) === 'shared') {
    if (isPem) throw refused()
    return new TextEncoder().encode(secret)
  }
  if (!isPem) throw refused()
  const imports =
    use === 'sign'
      ? jwt.importPKCS8
      : secret.includes('-----BEGIN CERTIFICATE')
        ? jwt.importX509
        : jwt.importSPKI
  // Whatever the package says of a key may be a part of it.
  const key = await imports(secret, algorithm).catch(() => undefined)
  if (key === undefined) throw refused()
  const bits: unknown = Reflect.get(Object(Reflect.get(Object(key), 'algorithm')), 'modulusLength')
  if (typeof bits === 'number' && bits < leastBits)
    throw badValue(`A key of ${algorithm} has ${leastBits.toLocaleString('en')} bits or more.`, ['secret'])
  return key
}

const notValid = () => fault('INVALID_CREDENTIALS', 'The token is not valid.')

/** The error of a token. The reasons of the package are not shown: they would help to forge one. */
function asCredentials(error: unknown): Error {
  const code: unknown = Reflect.get(Object(error), 'code')
  return code === 'ERR_JWT_EXPIRED' ? fault('TOKEN_EXPIRED', 'The token has expired.') : notValid()
}
