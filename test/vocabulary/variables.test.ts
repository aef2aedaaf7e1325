import { describe, expect, it } from 'vitest'
import {
  type Caller,
  pathsIn,
  readVariable,
  variableMistake,
  variableValue,
} from '../../src/vocabulary/variables.ts'

const now = new Date('2024-02-29T12:00:00.000Z')

/** What a text stands for; the text itself where it is no variable. */
function meant(text: string, caller: Caller = {}): unknown {
  const variable = readVariable(text)
  if (!variable) return text
  const value = variableValue(variable, { now, caller })
  return value instanceof Date ? value.toISOString() : value
}

const mistake = (text: string) => {
  const variable = readVariable(text)
  return variable && variableMistake(variable)
}

describe('$NOW', () => {
  it.each([
    ['$NOW', '2024-02-29T12:00:00.000Z'],
    ['$NOW(-1 year)', '2023-02-28T12:00:00.000Z'],
    ['$NOW(+1 year)', '2025-02-28T12:00:00.000Z'],
    ['$NOW(4 years)', '2028-02-29T12:00:00.000Z'],
    ['$NOW(0.5 years)', '2024-08-29T12:00:00.000Z'],
    ['$NOW(1 month)', '2024-03-29T12:00:00.000Z'],
    ['$NOW(-12 months)', '2023-02-28T12:00:00.000Z'],
    // Half a month is half of 30.436875 days.
    ['$NOW(1.5 months)', '2024-04-13T17:14:33.000Z'],
    ['$NOW(-0.5 month)', '2024-02-14T06:45:27.000Z'],
    ['$NOW(1 week)', '2024-03-07T12:00:00.000Z'],
    ['$NOW(1)', '2024-03-01T12:00:00.000Z'],
    ['$NOW(1 day)', '2024-03-01T12:00:00.000Z'],
    ['$NOW(-1.5 days)', '2024-02-28T00:00:00.000Z'],
    ['$NOW(1 hour)', '2024-02-29T13:00:00.000Z'],
    ['$NOW(1 minute)', '2024-02-29T12:01:00.000Z'],
    ['$NOW(1 second)', '2024-02-29T12:00:01.000Z'],
    ['$NOW(1 millisecond)', '2024-02-29T12:00:00.001Z'],
    ['$NOW(0.6 ms)', '2024-02-29T12:00:00.001Z'],
    ['$NOW( - 2  DAYS )', '2024-02-27T12:00:00.000Z'],
    ['$NOW(+0 days)', '2024-02-29T12:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    expect(mistake(text)).toBeUndefined()
    expect(meant(text)).toBe(moment)
  })

  it.each([
    ['y yr yrs year years', '2025-02-28T12:00:00.000Z'],
    ['mo mth month months', '2024-03-29T12:00:00.000Z'],
    ['w week weeks', '2024-03-07T12:00:00.000Z'],
    ['d day days', '2024-03-01T12:00:00.000Z'],
    ['h hr hrs hour hours', '2024-02-29T13:00:00.000Z'],
    ['m min mins minute minutes', '2024-02-29T12:01:00.000Z'],
    ['s sec secs second seconds', '2024-02-29T12:00:01.000Z'],
    ['ms msec msecs millisecond milliseconds', '2024-02-29T12:00:00.001Z'],
  ])('takes one of %s', (units, moment) => {
    for (const unit of units.split(' ')) {
      expect([unit, meant(`$NOW(1${unit})`)]).toEqual([unit, moment])
      expect([unit, meant(`$NOW(+1 ${unit.toUpperCase()})`)]).toEqual([unit, moment])
    }
  })

  it.each(['', 'x', '1 fortnight', '1 2', '1 day 2', '--1 day', '+-1', '1.', '.5 days', '1e3', '1234567890'])(
    'is not shifted by %j',
    (distance) => {
      expect(mistake(`$NOW(${distance})`)).toBe('$NOW(…) takes a distance such as -1 year or +2 hours')
      expect(meant(`$NOW(${distance})`)).toBeUndefined()
    },
  )

  it('is not shifted beyond all calendars', () => {
    expect(meant('$NOW(+300000 years)')).toBeUndefined()
    expect(mistake('$NOW(-999999999 months)')).toBe('$NOW(…) takes a distance such as -1 year or +2 hours')
  })

  it('is the clock, whatever a caller brings', () => {
    expect(meant('$NOW', { variables: { $NOW: 'never' } })).toBe('2024-02-29T12:00:00.000Z')
  })

  it('has no fields', () => {
    expect(mistake('$NOW.year')).toBe('$NOW has no fields')
  })
})

describe('who asks', () => {
  const caller = { user: 7, role: 'editor', roles: ['editor', 'author'], policies: [3] }

  it.each([
    ['$CURRENT_USER', 7],
    ['$CURRENT_ROLE', 'editor'],
    ['$CURRENT_ROLES', ['editor', 'author']],
    ['$CURRENT_POLICIES', [3]],
  ])('is told by %s', (text, value) => {
    expect(mistake(text)).toBeUndefined()
    expect(meant(text, caller)).toEqual(value)
    expect(meant(text)).toBeUndefined()
  })

  it('is nobody where it is null', () => {
    expect(meant('$CURRENT_USER', { user: null })).toBeUndefined()
  })

  it.each(['$CURRENT_USER()', '$CURRENT_USER(1 day)', '$CURRENT_ROLES(0)'])(
    'is not shifted, as in %s',
    (text) => {
      const [name] = text.split('(')
      expect(mistake(text)).toBe(`${name} takes nothing in parentheses`)
      expect(meant(text, caller)).toBeUndefined()
    },
  )
})

describe('a path of a variable', () => {
  const user = { team: { lead: 3, head: null }, tags: ['a'], id: 7 }
  it.each([
    ['$CURRENT_USER.team.lead', { $CURRENT_USER: user }, 3],
    ['$CURRENT_USER.tags', { $CURRENT_USER: user }, ['a']],
    ['$CURRENT_USER.tags.0', { $CURRENT_USER: user }, 'a'],
    ['$CURRENT_USER.team.head', { $CURRENT_USER: user }, undefined],
    ['$CURRENT_USER.team.head.name', { $CURRENT_USER: user }, undefined],
    ['$CURRENT_USER.id.name', { $CURRENT_USER: user }, undefined],
    ['$CURRENT_USER.nothing', { $CURRENT_USER: user }, undefined],
    ['$CURRENT_USER.constructor', { $CURRENT_USER: user }, undefined],
    ['$CURRENT_USER.tags.length', { $CURRENT_USER: null }, undefined],
    ['$CURRENT_USER.0', { $CURRENT_USER: 'text' }, undefined],
    ['$CURRENT_USER.team', {}, undefined],
    // What is given for the whole path comes before what is inside of something.
    ['$CURRENT_USER.team.lead', { '$CURRENT_USER.team.lead': 9, $CURRENT_USER: user }, 9],
    ['$CURRENT_USER.team.lead', { '$CURRENT_USER.team.lead': null, $CURRENT_USER: user }, undefined],
    ['$CURRENT_USER.team.lead', { '$CURRENT_USER.team.lead': false, $CURRENT_USER: user }, false],
  ])('%s in %j is %j', (text, variables, value) => {
    expect(mistake(text)).toBeUndefined()
    expect(meant(text, { user: 1, variables })).toEqual(value)
  })

  it('a value given for a variable stands before who asks', () => {
    expect(meant('$CURRENT_USER', { user: 1, variables: { $CURRENT_USER: 2 } })).toBe(2)
    expect(meant('$CURRENT_USER', { user: 1, variables: { $CURRENT_USER: null } })).toBeUndefined()
  })

  it('is not looked for in the prototype of what is given', () => {
    const variables = Object.create({ $CURRENT_USER: user })
    expect(meant('$CURRENT_USER.id', { variables })).toBeUndefined()
    expect(meant('$CURRENT_USER', { user: 1, variables })).toBe(1)
  })

  it('is found wherever it stands, and no other variable is', () => {
    const filter = {
      _or: [{ a: '$CURRENT_USER.team' }, { b: { _in: ['$CURRENT_ROLE.x', '$NOW(1)'] } }],
      c: 1,
    }
    expect(pathsIn(filter)).toEqual(['$CURRENT_USER.team', '$CURRENT_ROLE.x'])
    expect(pathsIn('$CURRENT_USER')).toEqual([])
    expect(pathsIn(['x', null, 5, '$OTHER.team'])).toEqual([])
  })
})

describe('a text', () => {
  it.each([
    '',
    'NOW',
    '$',
    '$now',
    '$NOW ',
    ' $NOW',
    '$NOWADAYS',
    '$CURRENT',
    '$NOW.',
    '$NOW(1',
    '$NOW(1)x',
    '$CURRENT_USER.a(1)',
    'x$NOW',
    '$toString',
    '$CURRENT_USER.a\n)',
  ])('such as %j is itself', (text) => {
    expect(readVariable(text)).toBeUndefined()
  })

  it('may hold a break where a variable has its distance', () => {
    expect(readVariable('$NOW(\n1 day)')).toEqual({ name: '$NOW', path: undefined, adjustment: '\n1 day' })
    expect(readVariable('$CURRENT_USER.a.b')).toEqual({
      name: '$CURRENT_USER',
      path: 'a.b',
      adjustment: undefined,
    })
  })

  it.each([null, undefined, 5, ['$NOW'], { $NOW: 1 }])('is nothing like %j', (given) => {
    expect(readVariable(given)).toBeUndefined()
  })
})
