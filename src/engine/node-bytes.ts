import { type ByteCodec, convertBytesBy } from '../values/bytes.ts'

/** The conversions of Node, which take a fifth of the time. */
export const nodeCodec: ByteCodec = {
  toBase64: (bytes) => viewOf(bytes).toString('base64'),
  fromBase64: (text) => Buffer.from(text, 'base64'),
  toHex: (bytes) => viewOf(bytes).toString('hex'),
  fromHex: (digits) => Buffer.from(digits, 'hex'),
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

/** Lets the conversions of bytes be those of Node: rows may be full of them. */
export const useNodeBytes = (): void => convertBytesBy(nodeCodec)
