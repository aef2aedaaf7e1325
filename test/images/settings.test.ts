import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/images/asset-settings.ts'
import { defaultAssetLimits } from '../../src/images/image-limits.ts'
import { rejectionOf } from '../support/outcome.ts'

describe('the settings of assets', () => {
  it('have defaults, and one picture more in work than there are cores', () => {
    expect(readSettings(undefined, 3)).toEqual({
      allowed: 'all',
      presets: new Map(),
      defaultFolder: undefined,
      limits: { ...defaultAssetLimits, concurrency: 4 },
    })
  })

  it('keep what is set, and nothing of what is left undefined', () => {
    const { limits } = readSettings({ limits: { outputSide: 100, queue: 0, frames: undefined } }, 3)
    expect(limits).toEqual({ ...defaultAssetLimits, concurrency: 4, outputSide: 100, queue: 0 })
  })

  it.each([
    ['all', ['assets'], 'It is an object, not "all".'],
    [{ alowed: 'all' }, ['assets', 'alowed'], 'There is no setting "alowed".'],
    [{ allowed: 'some' }, ['assets', 'allowed'], 'It is one of all, presets, none, not "some".'],
    [{ defaultFolder: 5 }, ['assets', 'defaultFolder'], 'It is the key of a folder, not 5.'],
    [{ presets: {} }, ['assets', 'presets'], 'They are a list, not an object.'],
    [{ presets: [5] }, ['assets', 'presets', 0], 'It is an object, not 5.'],
    [
      { presets: [{ width: 5 }] },
      ['assets', 'presets', 0, 'key'],
      'A preset has a text as its key, not undefined.',
    ],
    [
      { presets: [{ key: 'a' }, { key: 'a' }] },
      ['assets', 'presets', 1, 'key'],
      'There is a preset "a" already.',
    ],
    [
      { presets: [{ key: 'a', width: 0 }] },
      ['assets', 'presets', 0, 'width'],
      '"width" takes a whole number from 1 to 100000, not 0.',
    ],
    [
      { presets: [{ key: 'a', focal_point_x: 0 }] },
      ['assets', 'presets', 0, 'focal_point_x'],
      'There is no parameter "focal_point_x" of assets.',
    ],
    [
      { presets: [{ key: 'a', transforms: [['nope']] }] },
      ['assets', 'presets', 0, 'transforms', 0, 0],
      'There is no operation "nope".',
    ],
    [
      { presets: [{ key: 'a', transforms: [['flip'], ['flip']] }], limits: { operations: 1 } },
      ['assets', 'presets', 0, 'transforms'],
      'There are more operations than the limit of 1.',
    ],
    [
      { limits: { outputSize: 5 } },
      ['assets', 'limits', 'outputSize'],
      'There is no limit "outputSize" of assets.',
    ],
    [
      { limits: { outputSide: -1 } },
      ['assets', 'limits', 'outputSide'],
      'The limit "outputSide" of assets is a whole number of 1 or more, not -1.',
    ],
    [
      { limits: { queue: 1.5 } },
      ['assets', 'limits', 'queue'],
      'The limit "queue" of assets is a whole number of 0 or more, not 1.5.',
    ],
    [
      { limits: { concurrency: 0 } },
      ['assets', 'limits', 'concurrency'],
      'The limit "concurrency" of assets is a whole number of 1 or more, not 0.',
    ],
    [
      { limits: { timeoutMs: Number.POSITIVE_INFINITY } },
      ['assets', 'limits', 'timeoutMs'],
      'The limit "timeoutMs" of assets is a whole number from 1 to 3600000, not Infinity.',
    ],
    [{ limits: [] }, ['assets', 'limits'], 'It is an object, not a list of 0.'],
  ])('%o are refused when the engine is made', async (settings, path, message) => {
    const error = await rejectionOf(() => readSettings(settings, 2))
    expect({ code: error.code, path: error.path, message: error.message }).toEqual({
      code: 'INVALID_OPTIONS',
      path,
      message,
    })
  })
})
