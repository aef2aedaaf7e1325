import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/images/asset-settings.ts'
import { readAssetRequest } from '../../src/images/image-request.ts'
import { operationNames, sameOperations } from '../../src/images/operations/operation-names.ts'
import { operations } from '../../src/images/operations/operations.ts'
import { identityOf } from '../../src/variants/variant-identity.ts'
import { rejectionOf } from '../support/outcome.ts'

const allowance = readSettings(
  {
    presets: [
      { key: 'small', width: 100, height: 100, fit: 'contain', format: 'webp', quality: 70 },
      { key: 'grey', transforms: [['greyscale'], ['blur', 2]] },
    ],
  },
  2,
)
const file = {
  id: '0b9f2d1e-0000-4000-8000-000000000001',
  filename_disk: 'photo.jpg',
  type: 'image/jpeg',
  focal_point_x: 10,
  focal_point_y: 20,
}

/** What a request is called, or undefined for the file as it is. */
function identity(parameters: unknown, accept?: string): string | undefined {
  const request = readAssetRequest(parameters, allowance, accept)
  return request && identityOf(request, file, 'v1', 'jpg')
}

describe('requests that mean the same are the same', () => {
  it.each([
    [{ width: 100 }, { width: '100' }],
    [
      { width: 100, height: 50 },
      { height: '50', width: '100' },
    ],
    [
      { width: 100, height: 50 },
      { width: 100, height: 50, fit: 'cover' },
    ],
    [
      { width: 100, height: 50 },
      { width: 100, height: 50, withoutEnlargement: 'false' },
    ],
    [{ width: 100, fit: 'inside' }, { width: 100 }],
    [
      { width: 100, format: 'jpeg' },
      { width: 100, format: 'jpg' },
    ],
    [{ width: 100, format: 'jpg' }, { width: 100 }],
    [{ width: 100, quality: 80 }, { width: 100 }],
    [
      { width: 100, format: 'png', quality: '100' },
      { width: 100, format: 'png' },
    ],
    [{ key: 'small' }, { width: 100, height: 100, fit: 'contain', format: 'webp', quality: '70' }],
    [
      { key: 'small', quality: 60 },
      { width: 100, height: 100, fit: 'contain', format: 'webp', quality: 60 },
    ],
    [{ key: 'grey' }, { transforms: '[["grayscale"],["blur","2"]]' }],
    [{ width: 100, focal_point_x: 5, focal_point_y: 6 }, { width: 100 }],
    [
      { width: 50, height: 50, focal_point_x: 10, focal_point_y: '20' },
      { width: 50, height: 50 },
    ],
    [
      { width: 50, height: 50, focal_point_x: 10 },
      { width: 50, height: 50 },
    ],
    [{ transforms: [['tint', 'rgb(255, 0, 0)']] }, { transforms: [['tint', '#F00']] }],
    [{ transforms: [['tint', 'red']] }, { transforms: [['tint', { colour: { r: 255, g: 0, b: 0 } }]] }],
    [{ transforms: [['negate']] }, { transforms: [['negate', { alpha: 'false', lower: '0', upper: 255 }]] }],
    [{ transforms: [['resize', 100, 50]] }, { width: 100, height: 50 }],
    [{ transforms: [['toFormat', 'webp', { quality: 30 }]] }, { format: 'webp', quality: 30 }],
    [
      { transforms: [['webp']], quality: 30 },
      { format: 'webp', quality: 30 },
    ],
    [{ transforms: [['png', 20]], format: 'webp' }, { format: 'webp' }],
    [{ width: 10, download: '' }, { width: 10 }],
  ])('%o and %o', (one, other) => {
    expect(identity(one)).toBeDefined()
    expect(identity(one)).toBe(identity(other))
  })

  it('and others are not', () => {
    const asked = [
      { width: 100 },
      { height: 100 },
      { width: 100, height: 100 },
      { width: 100, height: 100, fit: 'inside' },
      { width: 100, height: 100, withoutEnlargement: true },
      { width: 100, height: 100, focal_point_x: 11 },
      { width: 100, height: 100, focal_point_y: 21 },
      { width: 100, quality: 79 },
      { width: 100, format: 'webp' },
      { width: 100, transforms: [['flip']] },
      { width: 100, transforms: [['flip'], ['flop']] },
      { width: 100, transforms: [['flop'], ['flip']] },
      { transforms: [['blur', 1]] },
      { transforms: [['blur', 1.5]] },
      { transforms: [['tint', 'rgb(255, 0, 1)']] },
      { format: 'jpg' },
    ]
    expect(new Set(asked.map((one) => identity(one))).size).toBe(asked.length)
  })

  it('and neither are those of another version of the file, or of another file', () => {
    const request = readAssetRequest({ width: 100 }, allowance, undefined)
    if (!request) throw new Error('nothing was asked for')
    const names = [
      identityOf(request, file, 'v1', 'jpg'),
      identityOf(request, file, 'v2', 'jpg'),
      identityOf(request, { ...file, filename_disk: 'other.jpg' }, 'v1', 'jpg'),
    ]
    expect(new Set(names).size).toBe(3)
  })

  it.each([
    ['image/avif,image/webp,*/*', { format: 'avif' }],
    ['text/html, IMAGE/WEBP;q=0.8', { format: 'webp' }],
    ['image/avif;q=0, image/webp', { format: 'webp' }],
    ['image/avif; q=0.000,image/webp;q=0', { format: 'jpg' }],
    ['image/*,*/*', { format: 'jpg' }],
    [undefined, { format: 'jpg' }],
  ])('format=auto with Accept: %s is %o', (accept, same) => {
    expect(identity({ width: 10, format: 'auto' }, accept)).toBe(identity({ width: 10, ...same }))
  })
})

it.each([
  [{}],
  [{ transforms: '[]' }],
  [{ fit: 'cover' }],
  [{ withoutEnlargement: true }],
  [{ download: 'true' }],
  [{ width: undefined }],
  [{ focal_point_x: 4, focal_point_y: 4 }],
])('%o asks for the file as it is stored', (parameters) =>
  expect(readAssetRequest(parameters, allowance, undefined)).toBeUndefined(),
)

describe('what is refused', () => {
  it.each([
    [{ width: 'abc' }, ['width'], '"width" takes a whole number from 1 to 100000, not "abc".'],
    [{ width: '0' }, ['width'], '"width" takes a whole number from 1 to 100000, not "0".'],
    [{ width: '-5' }, ['width'], '"width" takes a whole number from 1 to 100000, not "-5".'],
    [{ width: '1e3' }, ['width'], '"width" takes a whole number from 1 to 100000, not "1e3".'],
    [{ width: '10.5' }, ['width'], '"width" takes a whole number from 1 to 100000, not "10.5".'],
    [{ width: '' }, ['width'], '"width" takes a whole number from 1 to 100000, not "".'],
    [{ width: Number.NaN }, ['width'], '"width" takes a whole number from 1 to 100000, not NaN.'],
    [{ height: [100] }, ['height'], '"height" takes a whole number from 1 to 100000, not a list of 1.'],
    [{ quality: '101' }, ['quality'], '"quality" takes a whole number from 1 to 100, not "101".'],
    [{ format: 'svg' }, ['format'], '"format" takes one of jpg, png, webp, avif, tiff, gif, not "svg".'],
    [
      { format: '__proto__' },
      ['format'],
      '"format" takes one of jpg, png, webp, avif, tiff, gif, not "__proto__".',
    ],
    [{ fit: 'fill' }, ['fit'], '"fit" takes one of cover, contain, inside, outside, not "fill".'],
    [
      { withoutEnlargement: 'yes' },
      ['withoutEnlargement'],
      '"withoutEnlargement" takes true or false, not "yes".',
    ],
    [{ widht: 5 }, ['widht'], 'There is no parameter "widht" of assets.'],
    [{ constructor: 5 }, ['constructor'], 'There is no parameter "constructor" of assets.'],
    [{ key: 'nope' }, ['key'], 'There is no preset "nope".'],
    [{ key: 'constructor' }, ['key'], 'There is no preset "constructor".'],
    [{ transforms: 'blur' }, ['transforms'], '"transforms" takes JSON, which "blur" is not.'],
    [{ transforms: '{}' }, ['transforms'], '"transforms" takes a list of operations, not an object.'],
    [
      { transforms: '["blur"]' },
      ['transforms', 0],
      'An operation is a list of its name and its arguments, not "blur".',
    ],
    [
      { transforms: [[]] },
      ['transforms', 0],
      'An operation is a list of its name and its arguments, not a list of 0.',
    ],
    [{ transforms: [['toFile', 'x']] }, ['transforms', 0, 0], 'There is no operation "toFile".'],
    [{ transforms: [['constructor']] }, ['transforms', 0, 0], 'There is no operation "constructor".'],
    [{ transforms: [[{}]] }, ['transforms', 0, 0], 'There is no operation an object.'],
    [
      { transforms: [['flip'], ['composite', []]] },
      ['transforms', 1, 0],
      'There is no operation "composite".',
    ],
    [
      { transforms: [['blur', 51]] },
      ['transforms', 0, 'sigma'],
      '"sigma" takes a number from 0.3 to 50, not 51.',
    ],
    [
      { transforms: [['blur', 5, 6]] },
      ['transforms', 0],
      '"blur" takes no more than sigma, so 6 is one too many.',
    ],
    [
      { transforms: [['flip', true]] },
      ['transforms', 0],
      '"flip" takes no arguments, so true is one too many.',
    ],
    [
      { transforms: [['blur', { sigma: 5, precision: 'float' }]] },
      ['transforms', 0, 'precision'],
      'There is no member "precision" here.',
    ],
    [
      { transforms: '[["blur",{"__proto__":5}]]' },
      ['transforms', 0, '__proto__'],
      'There is no member "__proto__" here.',
    ],
    [
      { transforms: [['blur', 5, { sigma: 5 }]] },
      ['transforms', 0, 'sigma'],
      '"blur" is given "sigma" twice.',
    ],
    [
      { transforms: [['tint']] },
      ['transforms', 0, 'colour'],
      '"colour" takes a colour such as rgb(255, 0, 0), rgba(0, 0, 0, 0.5), #ff0000, or a name of CSS, and it is missing.',
    ],
    [
      { transforms: [['tint', 'rgb(256, 0, 0)']] },
      ['transforms', 0, 'colour'],
      '"colour" takes a colour such as rgb(255, 0, 0), rgba(0, 0, 0, 0.5), #ff0000, or a name of CSS, not "rgb(256, 0, 0)".',
    ],
    [{ transforms: [['resize']] }, ['transforms', 0], '"resize" takes a width, a height or both.'],
    [
      { transforms: [['extract', 0, 0, 0, 5]] },
      ['transforms', 0, 'width'],
      '"width" takes a whole number from 1 to 100000, not 0.',
    ],
    [
      { transforms: [['convolve', { width: 3, height: 3, kernel: [1, 1] }]] },
      ['transforms', 0, 'kernel'],
      '"kernel" takes a list of 9 to 225, each a number from -1000000 to 1000000, not a list of 2.',
    ],
    [
      { transforms: [['convolve', { width: 3, height: 5, kernel: [1, 1, 1, 1, 1, 1, 1, 1, 1] }]] },
      ['transforms', 0],
      '"convolve" takes a kernel of 3 by 5 weights, not of 9.',
    ],
    [
      { transforms: [['normalise', 60, 50]] },
      ['transforms', 0],
      '"normalise" takes a lower percentile that is less than the upper one.',
    ],
    [
      { transforms: [['negate', 60, 50]] },
      ['transforms', 0],
      '"negate" takes a lower end that is no more than the upper one.',
    ],
  ])('%o is INVALID_QUERY at %o', async (parameters, path, message) => {
    const error = await rejectionOf(() => readAssetRequest(parameters, allowance, undefined))
    expect({ code: error.code, path: error.path, message: error.message }).toEqual({
      code: 'INVALID_QUERY',
      path,
      message,
    })
  })

  it('and all that is wrong is told at once', async () => {
    const error = await rejectionOf(() =>
      readAssetRequest({ width: 'x', hight: 1, transforms: [['blurr']] }, allowance, undefined),
    )
    expect(error.errors?.map(({ path, hint }) => ({ path, hint }))).toEqual([
      { path: ['width'], hint: undefined },
      { path: ['hight'], hint: 'Did you mean "height"?' },
      { path: ['transforms', 0, 0], hint: 'Did you mean "blur"?' },
    ])
  })

  it('more operations than there may be', async () => {
    const transforms = Array.from({ length: 6 }, () => ['flip'])
    const error = await rejectionOf(() => readAssetRequest({ transforms }, allowance, undefined))
    expect(error.code).toBe('ILLEGAL_ASSET_TRANSFORMATION')
    expect(error.path).toEqual(['transforms'])
  })

  it('a text without end, before it is parsed', async () => {
    const error = await rejectionOf(() =>
      readAssetRequest({ transforms: '['.repeat(1_000_000) }, allowance, undefined),
    )
    expect(error.message).toBe('"transforms" takes at most 16384 characters.')
  })

  it('every operation with an argument it does not have, and with one too many', async () => {
    for (const name of [...Object.keys(operations), ...Object.keys(sameOperations)]) {
      const strange = await rejectionOf(() =>
        readAssetRequest({ transforms: [[name, { strange: 1 }]] }, allowance, undefined),
      )
      expect([name, strange.code, strange.path]).toEqual([
        name,
        'INVALID_QUERY',
        ['transforms', 0, 'strange'],
      ])
      const many = [name, ...Array.from({ length: 12 }, () => 1)]
      expect(
        (await rejectionOf(() => readAssetRequest({ transforms: [many] }, allowance, undefined))).code,
      ).toBe('INVALID_QUERY')
    }
  })
})

it('the table of operations has all names and no others', () => {
  expect(Object.keys(operations)).toEqual(operationNames)
})

describe('an engine that allows', () => {
  const presets = [{ key: 'small', width: 100 }]
  const tried = [
    [{}, true, true, true],
    [{ download: 'x' }, true, true, true],
    [{ key: 'small' }, true, true, false],
    [{ key: 'small', width: 50 }, true, false, false],
    [{ key: 'small', download: '1' }, true, true, false],
    [{ width: 50 }, true, false, false],
    [{ format: 'webp' }, true, false, false],
  ] as const

  it.each(['all', 'presets', 'none'] as const)('%s', async (allowed) => {
    const settings = readSettings({ allowed, presets }, 2)
    for (const [parameters, ...answers] of tried) {
      const isAllowed = answers[['all', 'presets', 'none'].indexOf(allowed)]
      const work = () => readAssetRequest(parameters, settings, undefined)
      if (isAllowed) expect(work).not.toThrow()
      else expect((await rejectionOf(work)).code).toBe('ILLEGAL_ASSET_TRANSFORMATION')
    }
  })
})
