import { describe, expect, test, vi } from 'vitest'
import { plainFault } from '../../src/errors/code-texts.ts'
import {
  combine,
  EngineError,
  type ErrorCode,
  fault,
  isEngineError,
  quote,
  toErrorBody,
  unreachable,
} from '../../src/errors/errors.ts'
import { Problems } from '../../src/errors/problems.ts'
import { nearest } from '../../src/errors/suggest.ts'
import { thrownBy } from '../query/parse-harness.ts'

const statuses = {
  INVALID_QUERY: 400,
  INVALID_PAYLOAD: 400,
  FAILED_VALIDATION: 400,
  INVALID_CREDENTIALS: 401,
  TOKEN_EXPIRED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  OUT_OF_TIME: 408,
  PRECONDITION_FAILED: 412,
  PRECONDITION_REQUIRED: 428,
  CONTENT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  UNPROCESSABLE_CONTENT: 422,
  VERSION_HASH_MISMATCH: 422,
  TOO_MANY_REQUESTS: 429,
  RECORD_NOT_UNIQUE: 400,
  INVALID_FOREIGN_KEY: 400,
  NOT_NULL_VIOLATION: 400,
  VALUE_TOO_LONG: 400,
  VALUE_OUT_OF_RANGE: 400,
  ILLEGAL_ASSET_TRANSFORMATION: 400,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
  INVALID_SCHEMA: 500,
  INVALID_OPTIONS: 400,
} satisfies Record<ErrorCode, number>

describe('a fault', () => {
  test.each(Object.entries(statuses))('of code %s has status %d', (code, status) => {
    const error = fault(code as ErrorCode, 'Something is wrong.')
    expect(error).toMatchObject({ name: 'EngineError', code, status, message: 'Something is wrong.' })
    expect(error).toBeInstanceOf(Error)
    expect(error.stack).toContain('errors.test.ts')
  })

  test.each(Object.keys(statuses))('of code %s says a sentence of its own when nothing is given', (code) => {
    expect(plainFault(code as ErrorCode).message).toMatch(/^[A-Z][^\n]+\.$/)
  })

  test('carries path, hint, extensions and cause only where they are given', () => {
    const bare = plainFault('NOT_FOUND')
    expect('path' in bare || 'hint' in bare || 'errors' in bare || 'cause' in bare).toBe(false)
    const cause = new Error('driver')
    const full = fault('NOT_FOUND', 'Not here.', {
      path: ['a', 0],
      hint: 'Look there.',
      extensions: { a: 1 },
      cause,
    })
    expect(full).toMatchObject({ path: ['a', 0], hint: 'Look there.', extensions: { a: 1 }, cause })
  })

  test('says no more than a message can hold', () => {
    const { message } = fault('INVALID_QUERY', 'x'.repeat(10_000))
    expect(message).toHaveLength(480)
    expect(message.endsWith('…')).toBe(true)
  })

  test('says nothing that cannot be seen', () => {
    const hidden = [
      '\u0000',
      '\n',
      '\r',
      '\u001b[31m',
      '\u0085',
      '\u2028',
      '\u202e',
      '\u200b',
      '\ufeff',
      '\ud800',
      '\u{e0041}',
    ]
    for (const character of hidden) {
      expect(fault('INVALID_QUERY', `a${character}b`).message).not.toMatch(
        /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u,
      )
    }
  })

  test('does not repeat an endless name in its path', () => {
    const { path } = fault('INVALID_QUERY', 'x', { path: ['filter', 'y'.repeat(10_000), 3, 'z'.repeat(256)] })
    expect(path).toEqual(['filter', `${'y'.repeat(255)}…`, 3, 'z'.repeat(256)])
  })
})

describe('isEngineError', () => {
  test('tells our errors from others', () => {
    expect(isEngineError(plainFault('NOT_FOUND'))).toBe(true)
    expect(isEngineError(combine([plainFault('NOT_FOUND'), plainFault('NOT_FOUND')]))).toBe(true)
    for (const other of [new Error('x'), new TypeError('x'), unreachable('x'), null, undefined, 'x', 5]) {
      expect(isEngineError(other)).toBe(false)
    }
  })

  test('is not deceived by an object that looks like one', () => {
    expect(isEngineError({ name: 'EngineError', code: 'NOT_FOUND', status: 404, message: 'x' })).toBe(false)
    expect(isEngineError({ ...plainFault('NOT_FOUND') })).toBe(false)
    expect(isEngineError(Object.assign(new Error('x'), { code: 'NOT_FOUND', status: 404 }))).toBe(false)
  })

  test('knows the error of a second copy of this package', () => {
    const foreign = new Error('x')
    Object.defineProperty(foreign, Symbol.for('quernel.error'), { value: true })
    expect(isEngineError(foreign)).toBe(true)
  })
})

describe('toErrorBody', () => {
  test('shows code, path and hint under extensions', () => {
    const error = fault('INVALID_QUERY', 'There is no operator "_eqq" here.', {
      path: ['filter', 'title', '_eqq'],
      hint: 'Did you mean "_eq"?',
    })
    expect(toErrorBody(error)).toStrictEqual({
      errors: [
        {
          message: 'There is no operator "_eqq" here.',
          extensions: {
            code: 'INVALID_QUERY',
            path: ['filter', 'title', '_eqq'],
            hint: 'Did you mean "_eq"?',
          },
        },
      ],
    })
  })

  test('leaves out what is not there', () => {
    expect(toErrorBody(fault('NOT_FOUND', 'Not here.'))).toStrictEqual({
      errors: [{ message: 'Not here.', extensions: { code: 'NOT_FOUND' } }],
    })
  })

  test('has one entry for each problem', () => {
    const body = toErrorBody(
      combine([fault('INVALID_QUERY', 'One.'), fault('INVALID_QUERY', 'Two.', { path: ['b'] })]),
    )
    expect(body).toStrictEqual({
      errors: [
        { message: 'One.', extensions: { code: 'INVALID_QUERY' } },
        { message: 'Two.', extensions: { code: 'INVALID_QUERY', path: ['b'] } },
      ],
    })
  })

  test('lets no extension take the place of the code', () => {
    const error = fault('FAILED_VALIDATION', 'x', { extensions: { code: 'OK', field: 'title' } })
    expect(toErrorBody(error).errors[0]?.extensions).toEqual({ code: 'FAILED_VALIDATION', field: 'title' })
  })

  const fixed = {
    errors: [{ message: 'An unexpected error occurred.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  }
  test.each([
    ['another error', new Error('select * from secrets')],
    ['a bug of ours', unreachable('secret')],
    ['a mistake in the schema', fault('INVALID_SCHEMA', 'secret', { path: ['secret'], hint: 'secret' })],
    ['a text', 'secret'],
    ['nothing', undefined],
    ['null', null],
  ])('shows one fixed sentence for %s', (_what, error) => {
    expect(toErrorBody(error)).toStrictEqual(fixed)
  })

  test('never shows the cause or the stack', () => {
    const error = fault('RECORD_NOT_UNIQUE', 'x', { cause: new Error('duplicate key: secret') })
    expect(JSON.stringify(toErrorBody(error))).not.toMatch(/secret|stack|\.ts/)
  })
})

describe('quote', () => {
  test.each([
    ['abc', '"abc"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['a\nb\u0000', '"a\\nb\\u0000"'],
    ['a\u0085b\u2028c\u202ed', '"a?b?c?d"'],
    ['\ud800', '"\\ud800"'],
    ['🎉', '"🎉"'],
    ['', '""'],
    [5, '5'],
    [-0, '0'],
    [5n, '5'],
    [Number.NaN, 'NaN'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[], 'a list of 0'],
    [[1, 2], 'a list of 2'],
    [{ secret: 1 }, 'an object'],
    [new Date(0), 'a date'],
    [new Map(), 'an instance of a class'],
    [Object.create(null), 'an object'],
    [() => 1, 'a function'],
    [Symbol('secret'), 'a symbol'],
  ])('shows a value in few characters (%#)', (value, shown) => {
    expect(quote(value)).toBe(shown)
  })

  test('shows at most 64 characters', () => {
    expect(quote('x'.repeat(62))).toBe(`"${'x'.repeat(62)}"`)
    expect(quote('x'.repeat(63))).toBe(`"${'x'.repeat(62)}…`)
    expect(quote('x'.repeat(1_000_000))).toHaveLength(64)
    expect(quote(10n ** 5_000n)).toHaveLength(64)
  })

  test('cuts no character in half', () => {
    for (let before = 0; before < 4; before++) {
      const shown = quote('x'.repeat(before) + '🎉'.repeat(100))
      expect(shown.isWellFormed()).toBe(true)
      expect(shown).not.toContain('?')
    }
  })
})

describe('problems of one input', () => {
  test('are one error when there is one', () => {
    const problems = new Problems('INVALID_QUERY')
    problems.add(['a'], 'One.', 'Do this.')
    expect(() => problems.throwIfAny()).toThrow(
      expect.objectContaining({ message: 'One.', path: ['a'], hint: 'Do this.' }),
    )
    expect(problems.all[0]).not.toHaveProperty('errors')
  })

  test('are told by the first, with the number of the others', () => {
    const two = combine([fault('FORBIDDEN', 'One.', { path: ['a'] }), fault('INVALID_QUERY', 'Two.')])
    expect(two).toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
      message: 'One. (and 1 more problem)',
      path: ['a'],
    })
    expect(two.errors?.map(({ message }) => message)).toEqual(['One.', 'Two.'])
  })

  test('are not thrown when there are none', () => {
    const problems = new Problems('INVALID_QUERY')
    expect(problems.isEmpty).toBe(true)
    expect(() => problems.throwIfAny()).not.toThrow()
  })

  test('are gathered only as far as somebody may read', () => {
    const problems = new Problems('INVALID_QUERY')
    for (let count = 0; count < 1_000; count++) problems.add([count], 'Wrong.')
    expect(problems.isFull).toBe(true)
    const error = thrownBy(() => problems.throwIfAny())
    expect(error).toBeInstanceOf(EngineError)
    expect((error as EngineError).errors).toHaveLength(50)
  })

  test('are not even made beyond that, where making them is expensive', () => {
    const problems = new Problems('INVALID_QUERY')
    const make = vi.fn(() => fault('INVALID_QUERY', 'Wrong.'))
    for (let count = 0; count < 1_000; count++) problems.reportMade(make, [count])
    expect(make).toHaveBeenCalledTimes(100)
  })
})

describe('nearest', () => {
  const words = ['_eq', '_neq', '_contains', '_starts_with', '_null']

  test.each([
    ['_eqq', '_eq'],
    ['_EQ', '_eq'],
    ['_ contains', '_contains'],
    ['_cotnains', '_contains'],
    ['_startswith', '_starts_with'],
    ['_nul', '_null'],
    ['_eq', '_eq'],
  ])('of %s is %s', (word, near) => {
    expect(nearest(word, words)).toBe(near)
  })

  test.each(['', 'completely_different', 'x'.repeat(10_000), '🎉🎉🎉🎉'])('of %s is none', (word) => {
    expect(nearest(word, words)).toBeUndefined()
  })
})
