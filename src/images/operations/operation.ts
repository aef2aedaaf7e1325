import type { OutputInfo, Sharp } from 'sharp'
import { fault, type Path, quote } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import type { Format } from '../image-formats.ts'
import type { Picture } from '../image-size.ts'
import { type KindSchema, members, type ParameterKind, type ParameterMembers } from '../parameter-kinds.ts'
import type { CropFrame } from '../size-and-crop.ts'

export interface ImageStep {
  readonly name: string
  readonly path: Path
  /** All arguments, defaults included: two steps that mean the same have the same. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** True if the picture may have another size afterwards. */
  readonly changesSize: boolean
  /** The picture that the step makes, where it can be predicted. Throws if the step is impossible. */
  readonly project: (picture: Picture) => Picture
  readonly work: StepWork
}

/** The work of a step: fit the picture into a frame, choose the output format, or apply an operation of the
 *  image library. */
type StepWork =
  | { readonly kind: 'frame'; readonly frame: (picture: Picture) => Framing }
  | { readonly kind: 'output'; readonly format: Format; readonly quality: number | undefined }
  | {
      readonly kind: 'apply'
      readonly apply: (image: Sharp, picture: Picture) => Sharp
      /** True if it can be applied to a file, and not only to pixels: less has to be decoded then. */
      readonly takesFiles: boolean
      /** Adds properties of the picture that are known only after making it. */
      readonly learned: (picture: Picture, info: OutputInfo) => Picture
    }

export interface Framing {
  readonly frame: CropFrame
  readonly background: { readonly r: number; readonly g: number; readonly b: number; readonly alpha: number }
  readonly kernel: 'nearest' | 'linear' | 'cubic' | 'mitchell' | 'lanczos2' | 'lanczos3'
}

type Takes = Readonly<Record<string, ParameterKind<unknown>>>

interface OperationDescription<Of extends Takes> {
  /** One line for the reference. */
  readonly doc: string
  /** Its arguments, in the order in which they may be given without their names. */
  readonly takes: Of
  readonly changesSize?: true
  /** Returns the problem of a combination of arguments that are valid one by one. */
  readonly check?: (input: ParameterMembers<Of>) => string | undefined
  readonly project?: (picture: Picture, input: ParameterMembers<Of>, path: Path) => Picture
}

interface AppliedStep<Of extends Takes> extends OperationDescription<Of> {
  readonly takesFiles?: true
  readonly apply: (image: Sharp, input: ParameterMembers<Of>, picture: Picture) => Sharp
  readonly learned?: (picture: Picture, info: OutputInfo) => Picture
}

export interface Operation {
  readonly doc: string
  readonly takes: Takes
  readonly options: KindSchema
  readonly read: (name: string, input: readonly unknown[], path: Path) => ImageStep
}

/** A row for an operation of the image library. */
export function operation<Of extends Takes>(row: AppliedStep<Of>): Operation {
  const { apply, takesFiles = false, learned = (picture) => picture } = row
  return operationOf(row, (input) => ({
    kind: 'apply',
    apply: (image, picture) => apply(image, input, picture),
    takesFiles,
    learned,
  }))
}

/** A row whose work is made from its arguments. */
export function operationOf<Of extends Takes>(
  row: OperationDescription<Of>,
  workOf: (input: ParameterMembers<Of>) => StepWork,
): Operation {
  const { doc, takes, changesSize = false, check, project = (picture) => picture } = row
  const named = members(takes)
  return {
    doc,
    takes,
    options: named.schema,
    read(name, values, path) {
      const input = named.read(namedArguments(name, values, takes, path), path)
      const wrong = check?.(input)
      if (wrong !== undefined) throw fault('INVALID_QUERY', wrong, { path })
      return {
        name,
        path,
        arguments: input,
        changesSize,
        project: (picture) => project(picture, input, path),
        work: workOf(input),
      }
    },
  }
}

/** Arguments are given in order, by name in an object, or the first of them in order and the others in an object. */
function namedArguments(
  name: string,
  values: readonly unknown[],
  takes: Takes,
  path: Path,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(takes)
  const last = values.at(-1)
  const options = isOptions(last) ? last : undefined
  const ordered = options ? values.slice(0, -1) : values
  const surplus = ordered[names.length]
  if (ordered.length > names.length) {
    const max = names.length === 0 ? 'no arguments' : `no more than ${names.join(', ')}`
    throw fault('INVALID_QUERY', `"${name}" takes ${max}, so ${quote(surplus)} is one too many.`, { path })
  }
  const input: Record<string, unknown> = Object.fromEntries(
    ordered.map((value, index) => [names[index], value]),
  )
  for (const [option, value] of Object.entries(options ?? {})) {
    if (Object.hasOwn(input, option) && input[option] !== null)
      throw fault('INVALID_QUERY', `"${name}" is given "${option}" twice.`, { path: [...path, option] })
    Object.defineProperty(input, option, { value, enumerable: true, configurable: true })
  }
  return input
}

/** True for an object of named arguments. A colour may be an object as well, and is none. */
const isOptions = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !Object.hasOwn(value, 'r')
