import type { OutputInfo, Sharp } from 'sharp'
import { fault, type Path, quote } from '../../errors/errors.ts'
import { isRecord } from '../../values/record.ts'
import type { Format } from '../image-formats.ts'
import type { Picture } from '../image-size.ts'
import { type KindSchema, members, type ParameterKind, type ParameterMembers } from '../parameter-kinds.ts'
import type { CropFrame } from '../size-and-crop.ts'

/** Something done to a picture, its arguments read. */
export interface ImageStep {
  readonly name: string
  /** Where it stands in the request. */
  readonly path: Path
  /** All arguments, defaults included: two steps that mean the same have the same. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** Whether the picture may have another size afterwards. */
  readonly changesSize: boolean
  /** The picture it makes of one, as far as that can be told before. Throws where it cannot be done. */
  readonly project: (picture: Picture) => Picture
  readonly work: StepWork
}

/** What a step does: get the picture into a frame, tell how to write it, or something the image library has a word for. */
export type StepWork =
  | { readonly kind: 'frame'; readonly frame: (picture: Picture) => Framing }
  | { readonly kind: 'output'; readonly format: Format; readonly quality: number | undefined }
  | {
      readonly kind: 'apply'
      readonly apply: (image: Sharp, picture: Picture) => Sharp
      /** Whether it may be asked of a file, and not only of pixels: less has to be unpacked then. */
      readonly takesFiles: boolean
      /** What was found out about the picture by making it. */
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
  /** Its arguments, in the order in which they may stand without their names. */
  readonly takes: Of
  readonly changesSize?: true
  /** What is wrong with arguments that are good one by one. */
  readonly check?: (given: ParameterMembers<Of>) => string | undefined
  readonly project?: (picture: Picture, given: ParameterMembers<Of>, path: Path) => Picture
}

interface AppliedStep<Of extends Takes> extends OperationDescription<Of> {
  readonly takesFiles?: true
  readonly apply: (image: Sharp, given: ParameterMembers<Of>, picture: Picture) => Sharp
  readonly learned?: (picture: Picture, info: OutputInfo) => Picture
}

/** One row of the table of operations. */
export interface Operation {
  readonly doc: string
  readonly takes: Takes
  /** Its arguments by their names. */
  readonly options: KindSchema
  /** The step that arguments ask for, as they stand behind the name. */
  readonly read: (name: string, given: readonly unknown[], path: Path) => ImageStep
}

/** A row for what the image library has a word for. */
export function operation<Of extends Takes>(row: AppliedStep<Of>): Operation {
  const { apply, takesFiles = false, learned = (picture) => picture } = row
  return operationOf(row, (given) => ({
    kind: 'apply',
    apply: (image, picture) => apply(image, given, picture),
    takesFiles,
    learned,
  }))
}

/** A row whose work is made of its arguments. */
export function operationOf<Of extends Takes>(
  row: OperationDescription<Of>,
  workOf: (given: ParameterMembers<Of>) => StepWork,
): Operation {
  const { doc, takes, changesSize = false, check, project = (picture) => picture } = row
  const named = members(takes)
  return {
    doc,
    takes,
    options: named.schema,
    read(name, values, path) {
      const given = named.read(namedArguments(name, values, takes, path), path)
      const wrong = check?.(given)
      if (wrong !== undefined) throw fault('INVALID_QUERY', wrong, { path })
      return {
        name,
        path,
        arguments: given,
        changesSize,
        project: (picture) => project(picture, given, path),
        work: workOf(given),
      }
    },
  }
}

/** Arguments stand in their order, by their names in an object, or the first of them in order and the others in an object. */
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
    const most = names.length === 0 ? 'no arguments' : `no more than ${names.join(', ')}`
    throw fault('INVALID_QUERY', `"${name}" takes ${most}, so ${quote(surplus)} is one too many.`, { path })
  }
  const given: Record<string, unknown> = Object.fromEntries(
    ordered.map((value, index) => [names[index], value]),
  )
  for (const [option, value] of Object.entries(options ?? {})) {
    if (Object.hasOwn(given, option) && given[option] !== null)
      throw fault('INVALID_QUERY', `"${name}" is given "${option}" twice.`, { path: [...path, option] })
    Object.defineProperty(given, option, { value, enumerable: true, configurable: true })
  }
  return given
}

/** A colour may be an object as well, and is no argument by its name. */
const isOptions = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !Object.hasOwn(value, 'r')
