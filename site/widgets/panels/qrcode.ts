// An address as a QR code, for slides of programs that show no web pages. It is loaded when somebody asks for one.

import { encodeQR } from "./qr.mjs";

/** The quiet zone that a reader needs, modules (ISO/IEC 18004). */
const border = 4;

/** The code as the text of an SVG file: black on white, whatever the theme, with the address as its title. Throws for an address of more than 2,331 bytes. */
export function qrOf(address: string): string {
  const rows = encodeQR(address, "raw", { ecc: "medium", border });
  const size = rows.length;
  const dark = rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("")).join("");
  const title = address.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size * 8}" height="${size * 8}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<title>${title}</title><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${dark}"/></svg>`;
}
