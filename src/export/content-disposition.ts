/** Returns a `Content-Disposition` header that offers a file for saving, or only names it. Whatever the name holds, it stays one header
 *  with one parameter (RFC 6266).
 *  @example contentDisposition('Übersicht.csv')
 *  // → `attachment; filename="_bersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv` */
export function contentDisposition(filename: string, kind: 'attachment' | 'inline' = 'attachment'): string {
  const name = filename.toWellFormed().replace(unsafe, '_')
  const plain = name.replace(beyondAscii, '_')
  const simple = `${kind}; filename="${plain}"`
  return plain === name ? simple : `${simple}; filename*=UTF-8''${encoded(name)}`
}

/** Characters that end a line or a quoted text, separate folders, or disguise a name. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\\/]/gu

// Some readers take a percent sign for the beginning of an encoded byte.
const beyondAscii = /[^ -~]|%/gu

/** Encodes a name by RFC 5987, which has fewer plain characters than URLs. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
